-- How many of the used events are kept in another database, from which the meter was
-- carried over.
ALTER TABLE play_meters ADD COLUMN carried BIGINT NOT NULL DEFAULT 0;
