-- Events of a day are a part of their own, which is dropped as a whole once it is too old.
-- The service makes it ahead. Here stay the events of before, and those of a day without a part.
ALTER TABLE play_events RENAME TO play_events_rest;
ALTER INDEX play_events_game RENAME TO play_events_rest_game;
ALTER INDEX play_events_day RENAME TO play_events_rest_day;
CREATE TABLE play_events (LIKE play_events_rest) PARTITION BY RANGE (day);
CREATE INDEX play_events_game ON play_events (game, stream, seq);
CREATE INDEX play_events_day ON play_events (day);
ALTER TABLE play_events ATTACH PARTITION play_events_rest DEFAULT;
