import { OwnId } from "@longarm/contract/ids";
import * as z from "zod/mini";
import type { Files } from "../ports/files.ts";

const NAME = "session.json";
/** Cases that may hold one session. */
const LOCKS_MAX = 100;

const Count = z.int().check(z.gte(0));

/** What is known of a recorded session without reading its index. */
export const SessionFacts = z.object({
  v: z.literal(1),
  machine: OwnId,
  session: OwnId,
  beganAt: z.number(),
  /** When it was recorded last, ms. */
  lastAt: z.number(),
  /** Of its segments that are still kept. */
  bytes: Count,
  /** Its newest sealed line, and the last one that the platform has written down. */
  links: Count,
  head: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  anchored: Count,
  /** It was closed in order: nothing must be read from its index. */
  whole: z.boolean(),
  /** Cases that hold it. */
  locks: z.array(OwnId).check(z.maxLength(LOCKS_MAX)),
});
export type SessionFacts = z.infer<typeof SessionFacts>;

/** Undefined: there is none, or it cannot be read. */
export async function readSessionFacts(files: Files, folder: string): Promise<SessionFacts | undefined> {
  const bytes = await files.read(`${folder}/${NAME}`);
  if (bytes === undefined) return undefined;
  try {
    const parsed = SessionFacts.safeParse(JSON.parse(bytes.toString("utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Under another name first: a crash leaves the old file or the new one. */
export async function writeSessionFacts(files: Files, folder: string, facts: SessionFacts): Promise<void> {
  const fresh = `${folder}/${NAME}.new`;
  await files.remove(fresh);
  const file = await files.open(fresh);
  try {
    await file.write(Buffer.from(JSON.stringify(facts)), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(fresh, `${folder}/${NAME}`);
  await files.syncFolder(folder);
}
