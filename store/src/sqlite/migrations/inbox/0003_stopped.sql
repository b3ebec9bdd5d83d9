-- When the agent said that it stops; empty when it was heard since.
ALTER TABLE agent ADD COLUMN stopped INTEGER;
