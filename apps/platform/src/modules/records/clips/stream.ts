import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { sql } from "kysely";
import type { ClipDb } from "./tables.ts";

/** A part of a clip, read from the database piece by piece. */
export type ClipStream = { readonly bytes: number; readonly content: Readable };

/** One reader may have so many parts a minute: some minutes of a recording are read at once, a flood is not. */
export const PARTS_PER_MINUTE = 600;
/** What is read at once, bytes. */
const PIECE_BYTES = 262_144;

/** Undefined: the clip has no such part. A segment that is put again while it is read never changes. */
export async function streamPart(db: ClipDb, id: string, name: string): Promise<ClipStream | undefined> {
  const { rows } = await sql<{
    bytes: number;
  }>`select length(bytes) as bytes from clip_part where clip_id = ${id} and name = ${name}`.execute(db);
  const [found] = rows;
  return found && { bytes: found.bytes, content: Readable.from(pieces(db, id, name, found.bytes)) };
}

async function* pieces(db: ClipDb, id: string, name: string, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += PIECE_BYTES) {
    const { rows } = await sql<{ piece: Buffer }>`
      select substring(bytes from ${at + 1}::int for ${PIECE_BYTES}::int) as piece from clip_part where clip_id = ${id} and name = ${name}`.execute(
      db,
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the clip was removed while it was read");
    yield row.piece;
  }
}

/** Sends a part. Nothing on the way keeps it: a recording is its reader's alone. */
export async function sendPart(
  reply: FastifyReply,
  { bytes, content }: ClipStream,
  name: string,
): Promise<FastifyReply> {
  return await reply
    .header("cache-control", "private, no-store")
    .header("content-length", bytes)
    .type(name.endsWith(".mp4") ? "video/mp4" : "application/jsonl")
    .send(content);
}
