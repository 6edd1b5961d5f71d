import * as z from "zod/mini";

/** Most characters of an `about`, written as JSON. */
export const ABOUT_CHARS_MAX = 4_000;

/** A value that JSON can write. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * What a transfer was for, kept with it for ever and shown in statements. These names have one meaning; others may be added.
 * It belongs to the content of a command: a repeat must carry the same.
 */
export type About = {
  readonly playSessionId?: string;
  readonly machineId?: string;
  readonly gameNumber?: number;
  /** Who asked: `player:…`, `staff:…`, `platform`. */
  readonly actor?: string;
  readonly reason?: string;
  readonly [key: string]: Json | undefined;
};

/** Text that PostgreSQL cannot keep: the zero character and halves of a surrogate pair. */
const isKeepable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string") return isKeepable(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth - 1));
  return Object.entries(value).every(
    ([key, item]) => isKeepable(key) && (item === undefined || isJson(item, depth - 1)),
  );
}

const DEPTH_MAX = 8;

function isAbout(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return isJson(value, DEPTH_MAX) && JSON.stringify(value).length <= ABOUT_CHARS_MAX;
}

/** Checks an `about`: an object of plain JSON, at most 4,000 characters and 8 levels. */
export const About = z.custom<About>(
  isAbout,
  "must be an object of plain JSON, at most 4000 characters and 8 levels deep",
);
