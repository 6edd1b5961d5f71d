import pg from "pg";

const BIGINT = 20;
const BIGINT_ARRAY = 1016;

/** A `bigint` of the database as a number. @throws RangeError outside the safe integers: rounding money is worse than stopping. */
export function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database answered ${text}, which is no safe integer`);
  return value;
}

function parseBigintArray(text: string): (number | null)[] {
  const inner = text.slice(1, -1);
  return inner === "" ? [] : inner.split(",").map((item) => (item === "NULL" ? null : parseBigint(item)));
}

/** Given to each pool of ours; the parsers of the library itself stay as they are for everybody else. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format !== "binary" && oid === BIGINT) return parseBigint;
    if (format !== "binary" && oid === BIGINT_ARRAY) return parseBigintArray;
    return pg.types.getTypeParser(oid, format as "text");
  },
} as pg.CustomTypesConfig;
