-- The key that the code is made with: it stays good when another key takes its place. Null: a code of before, made with the current key.
alter table mailed_code add column kid text;
