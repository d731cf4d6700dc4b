-- The status of a job changes while it is active: never of one that is settled or
-- released. What an engine says of an active one, queued or running, is not judged.
CREATE TRIGGER jobs_status_moves BEFORE UPDATE OF status ON jobs FOR EACH ROW
WHEN (NEW.status <> OLD.status AND OLD.state <> 'active' AND (NEW.state = OLD.state OR NEW.state = 'released'))
EXECUTE FUNCTION svc_refused();
