INSERT INTO users (id, attributes, created_at) VALUES ('alice', '{"plan":"school"}', 1);
INSERT INTO balances (user_id, tik) VALUES ('alice', -5);
INSERT INTO keys (id, user_id, hash, masked, name, state, jobs_per_day, tik_per_month, version, running, clock, created_at, last_used_at)
VALUES ('key_1', 'alice', '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'sk-ab****cdef', 'ci', 'disabled', 3, 1000000, 2, 1, 7, 1, 7);
INSERT INTO projects (id, owner_id, session_id, name, template, description, attributes, admin_attributes, created_at)
VALUES ('0123456789abcdef01234567', 'alice', 'ses_1', 'pong', 'blank', '', '{"readers":"bob"}', '{"plan":"school"}', 2);
INSERT INTO jobs (id, key_id, project_id, state, status, record, next_step, tik_spent, day, month, created_at, deadline_at, resolved_at)
VALUES ('job_1', 'key_1', '0123456789abcdef01234567', 'settled', 'completed', '{}', '', 5, 'd:2026-11-20', 'm:2026-11', 3, 4, 5),
	('job_2', 'key_1', '0123456789abcdef01234567', 'active', 'running', '{}', 'step', 0, 'd:2026-11-20', 'm:2026-11', 3, 4, NULL);
INSERT INTO usage (key_id, bucket, jobs, tik) VALUES ('key_1', 'd:2026-11-20', 2, 0), ('key_1', 'm:2026-11', 2, 5);
INSERT INTO tik_entries (project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at)
VALUES ('0123456789abcdef01234567', 'feed', 1, 'alice', 'key_1', 'job_1', -5, '[]', 5);
INSERT INTO feed_cursor (project_id, feed_id, seq) VALUES ('0123456789abcdef01234567', 'feed', 1);
INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at) VALUES ('key_1', 'once', 'print', 'job_1', 3);
INSERT INTO audit (seq, at, actor, action, subject, detail) VALUES (1, 1, 'uid:0', 'user.create', 'alice', '{}');
INSERT INTO revlog (seq, at, key_id, state) VALUES (1, 1, 'key_1', 'active');
INSERT INTO sessions (hash, user_id, via, created_at, seen_at)
VALUES ('0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'alice', 'link', 1, 2);
INSERT INTO session_codes (hash, purpose, user_id, subject, expires_at, used_at)
VALUES ('0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'login', 'alice', '', 3, 2);
INSERT INTO engine_owner (one, installation, place, since) VALUES (1, '01J0000000000000000000000A', 'host:/srv/svc', 2);
INSERT INTO credits (reference, user_id, tik, at) VALUES ('invoice-1', 'alice', 5, 2);
INSERT INTO deleted_projects (project_id, deleted_at) VALUES ('fedcba9876543210fedcba98', 6);
INSERT INTO reported (job_id, unit, quantity, steps) VALUES ('job_1', 'generator.job', 1, 1);
INSERT INTO publications (project_id, job_id, published_at) VALUES ('0123456789abcdef01234567', 'job_1', 6);
INSERT INTO play_keys (id, project_id, created_at, ends_at) VALUES ('pk-0000000000000000000000000000', '0123456789abcdef01234567', 6, NULL);
INSERT INTO policy_state (one, version, state) VALUES (1, 7, '{}');
INSERT INTO policy_archives (digest, archive) VALUES ('0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'H4sI');
INSERT INTO policy_sidecars (name, revision, seen_at) VALUES ('a', '0123456789abcdef0123456789abcdef', 7);
INSERT INTO tik_entries (project_id, feed_id, seq, user_id, delta, units, at)
VALUES ('0123456789abcdef01234567', 'play blocks', 1, 'alice', -5, '[{"name":"analytics.kevents","quantity":1}]', 7);
INSERT INTO play_settings (project_id, tik_per_month, origins, blocked_at, blocked_for) VALUES ('0123456789abcdef01234567', 5, '[]', 7, 'harmful');
INSERT INTO play_reports (project_id, player, day, at, reason) VALUES ('0123456789abcdef01234567', '', 20000, 7, 'broken');
INSERT INTO stream_tokens (hash, key_id, job_id, expires_at) VALUES ('0000000000000000000000000000000000000000000000000000000000000007', 'key_1', 'job_1', 7);
INSERT INTO studio_keys (user_id, key_id) VALUES ('alice', 'key_1');
INSERT INTO webhooks (project_id, url, events, secret, former, former_until, created_at)
VALUES ('0123456789abcdef01234567', 'https://example.com', ' job.completed ', 'whsec_0000000000000000000000000000000000000000000=', '', 0, 8);
INSERT INTO webhook_deliveries (id, project_id, job_id, event, body, state, attempts, status, problem, created_at, due_at, ended_at)
VALUES ('msg_1', '0123456789abcdef01234567', 'job_1', 'job.completed', '{}', 'delivered', 1, 200, '', 8, 8, 9);
INSERT INTO project_requests (key_id, name, fingerprint, project_id) VALUES ('key_1', 'once', 'print', '0123456789abcdef01234567');
INSERT INTO suspensions (user_id, at) VALUES ('alice', 9);
INSERT INTO key_facts (key_id, scopes, labels) VALUES ('key_1', '["read"]', '{"team":"arcade"}');
