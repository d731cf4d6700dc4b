-- A report counts what its game has of the day.
CREATE INDEX play_reports_by_day ON play_reports (project_id, day);
