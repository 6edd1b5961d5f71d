import * as z from "zod/mini";

/**
 * An id as the wire has it. Readers accept a number too (an operator's own platform may send one) and keep it as text;
 * ids are always compared as text. At most 64 characters.
 */
export const WireId = z.pipe(
  z.union([z.string().check(z.minLength(1), z.maxLength(64)), z.number()]),
  z.transform((id: string | number) => String(id)),
);

/** An id that we wrote ourselves: letters, digits and `_ . : -`, 1 to 64 of them. */
export const OwnId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/));

/** The id of a money command, made by the first sender and kept for every repeat: 8 to 64 characters. */
export const TransferId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{7,63}$/));

/** The fencing number of a seat: grows with each `init` of its holder; commands of an older one are refused. */
export const SeatEpoch = z.int().check(z.gte(1), z.lte(Number.MAX_SAFE_INTEGER));

/** An instant, ISO 8601 in UTC. */
export const Instant = z.iso.datetime();
