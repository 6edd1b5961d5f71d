import type { agentLink } from "@longarm/contract/agent-link";
import type { Answer } from "@longarm/link/answer";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { Clock } from "../../../clock.ts";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { ClipDb, ClipReason } from "./tables.ts";

type Requests = (typeof agentLink)["server"]["requests"];
type Method = "recording.clip" | "recording.hold";

/** Sends a request to the agent of a machine; see `Agents.request`. */
export type AskAgent = <M extends Method>(
  method: M,
  data: z.input<Requests[M]["input"]>,
) => Promise<Answer<z.output<Requests[M]["output"]>> | { readonly is: "noLink" }>;

/** Clips of one look. */
const AT_ONCE = 5;
/** A clip that is being uploaded is requested again after this, ms; its agent knows what it is doing. */
const AGAIN_MS = 60_000;
/** While an agent is away, ms; the wait doubles up to the last. */
const AWAY_MS = 5_000;
const AWAY_MS_MAX = 300_000;
/** An agent that has tried so often cannot. */
const TRIES_MAX = 10;

export type FetchDeps = {
  readonly db: ClipDb;
  readonly clock: Pick<Clock, "now">;
  readonly ask: AskAgent;
  readonly changed: (clipId: string) => void;
};

/** Asks agents for the clips that are due. Answers how many. */
export async function fetchClips(deps: FetchDeps): Promise<number> {
  const due = await deps.db
    .updateTable("clip")
    .set({ next_at: databaseIn(AGAIN_MS), tries: sql`tries + 1` })
    .where("id", "in", (from) =>
      from
        .selectFrom("clip")
        .select("id")
        .where("state", "in", ["wanted", "fetching"])
        .where("next_at", "<=", databaseNow())
        .orderBy("next_at")
        .limit(AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
  for (const clip of due) {
    const { id, machine_id, play_session_id, from_ms, to_ms, tries } = clip;
    const parts = await deps.db.selectFrom("clip_part").select("name").where("clip_id", "=", id).execute();
    const have = parts.map(({ name }) => name).filter((name) => name.endsWith(".mp4"));
    const wish = {
      machineId: machine_id,
      playSessionId: play_session_id,
      clipId: id,
      fromMs: from_ms,
      toMs: to_ms,
      have,
    };
    const requestedAt = deps.clock.now();
    const answer = await deps.ask("recording.clip", wish);
    const within = (deps.clock.now() - requestedAt) / 2;
    if (answer.is === "done" && answer.data.found && tries <= TRIES_MAX)
      await change(deps, id, "fetching", null, {
        skew_ms: answer.data.clock - requestedAt - within,
        skew_within_ms: within,
      });
    else if (answer.is === "done") await change(deps, id, "missing", answer.data.found ? "failed" : "notRecorded");
    else if (answer.is === "refused") await change(deps, id, "missing", "failed");
    else
      await change(deps, id, "wanted", "agentAway", {
        next_at: databaseIn(Math.min(AWAY_MS_MAX, AWAY_MS * 2 ** Math.min(tries - 1, 10))),
        // An agent that is away has tried nothing.
        ...(tries > TRIES_MAX / 2 && { tries: TRIES_MAX / 2 }),
      });
  }
  return due.length;
}

type More = Partial<{ skew_ms: number; skew_within_ms: number; next_at: ReturnType<typeof databaseIn>; tries: number }>;

async function change(
  { db, changed }: FetchDeps,
  id: string,
  state: "wanted" | "fetching" | "missing",
  reason: ClipReason | null,
  more: More = {},
): Promise<void> {
  const before = await db
    .updateTable("clip")
    .set({ state, reason, ...more })
    .where("id", "=", id)
    // It may have arrived meanwhile.
    .where("state", "in", ["wanted", "fetching"])
    .executeTakeFirst();
  if (before.numUpdatedRows > 0n) changed(id);
}

/** Reports agents which sessions clips hold, until they have said that they do. */
export async function sendHolds({ db, ask }: FetchDeps): Promise<number> {
  const rows = await db
    .selectFrom("clip_hold_change as t")
    .innerJoin("clip as c", "c.id", "t.clip_id")
    .select(["c.id", "c.machine_id", "c.play_session_id", "t.held"])
    .limit(100)
    .execute();
  let reported = 0;
  for (const { id, machine_id: machineId, play_session_id: playSessionId, held } of rows) {
    const answer = await ask("recording.hold", { machineId, playSessionId, caseId: id, held });
    if (answer.is !== "done" && answer.is !== "refused") continue;
    reported += 1;
    // It may have been changed meanwhile: then it is reported again.
    await db.deleteFrom("clip_hold_change").where("clip_id", "=", id).where("held", "=", held).execute();
  }
  return reported;
}
