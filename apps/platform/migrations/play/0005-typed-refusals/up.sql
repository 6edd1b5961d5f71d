-- Why a transfer was refused, as a kind of the wire; null: decided before this column, or by an agent that gives none.
alter table machine_transfer add column refusal text;
