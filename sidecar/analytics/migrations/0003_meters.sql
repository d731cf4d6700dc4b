-- What is paid of a game's events. granted is how many blocks of a thousand are paid, as
-- far as is known here: the ledger may have one more. used is how many events were kept
-- of these, and moves in the transaction that keeps them.
CREATE TABLE play_meters (
	game    TEXT   NOT NULL PRIMARY KEY,
	granted BIGINT NOT NULL,
	used    BIGINT NOT NULL,
	CHECK (used >= 0 AND used <= 1000 * granted)
);
