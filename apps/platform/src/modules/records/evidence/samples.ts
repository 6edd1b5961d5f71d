import type { EvidenceFinding } from "@longarm/contract/evidence/findings";
import { CHAIN_FILE, EVIDENCE_BYTES_MAX, INDEX_FILE, segmentFile } from "@longarm/contract/evidence/format";
import { englishOf } from "@longarm/contract/evidence/sentences";
import { verifyKept } from "@longarm/contract/evidence/verify";
import type { SAMPLE_STATES } from "@longarm/contract/staff-disputes";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { repeatLook } from "../../../repeat-look.ts";
import type { Alarms } from "../../play/alarms.ts";
import { someGames } from "../../play/played.ts";
import type { Clip, ClipReads, Clips } from "../clips/index.ts";
import { gameWish, wantClip } from "../clips/index.ts";
import type { GameOfPlayer, HistoryTables } from "../history/index.ts";
import { gameOn } from "../history/index.ts";
import { gatherGame } from "./evidence.ts";

/** How often it is looked whether a day is over, and which drawn games can be proved, ms. */
const LOOK_MS = 30_000;
/** Clips that are on their way for samples: players and staff who want one wait behind no more. */
const REQUESTED_AT_ONCE = 5;
/** A clip that takes longer keeps no other one waiting, minutes. */
const REQUESTED_MIN = 10;
/** Samples of one look. */
const AT_ONCE = 20;
/** An agent that stays away so long, or a clip that is not there, is a result too: hours. */
const WAITED_HOURS = 24;
/** Sentences that a row keeps. */
const WHY_MAX = 20;

export type SampleDeps = {
  readonly db: AnyDb;
  readonly clock: Pick<Clock, "every">;
  readonly random: Random;
  readonly log: Pick<Log, "warn">;
  readonly alarms: Pick<Alarms, "keep">;
  readonly clips: ClipReads & Pick<Clips, "requestClip" | "lock" | "forget">;
  readonly venue: {
    /** By whose days games are drawn. */
    readonly timeZone: string;
    /** Games of each machine and day. */
    readonly games: () => number;
  };
};

/** Draws games of the day that is over, and proves each: recording, meters and ledger say the same, or somebody is called. */
export function createSampler(deps: SampleDeps): RepeatedLook {
  const { clock, log } = deps;
  const failed = "drawn games could not be looked at, the next look tries again";
  return repeatLook({ clock, log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    await drawGames(deps);
    let decided = 0;
    for (const sample of await samplesDue(deps.db)) {
      if (isClosed()) break;
      try {
        if (await look(deps, sample)) decided += 1;
      } catch (error) {
        log.warn({ err: error, ...sample }, "a drawn game could not be looked at, the next look tries again");
      }
    }
    return decided;
  });
}

/** Draws games of yesterday, once: no person can know which before the day is over. */
async function drawGames({ db, random, venue: { timeZone, games } }: SampleDeps): Promise<void> {
  const perMachine = games();
  if (perMachine === 0) return;
  const yesterday = sql`(date_trunc('day', clock_timestamp() at time zone ${timeZone}) - interval '1 day')`;
  const { rows } = await sql<{ from: Date; to: Date; isDrawn: boolean }>`
    select ${yesterday} at time zone ${timeZone} as from, (${yesterday} + interval '1 day') at time zone ${timeZone} as to,
      exists (select from sampled_day where day = ${yesterday}::date) as "isDrawn"`.execute(db);
  const [time] = rows;
  if (time === undefined || time.isDrawn) return;
  await sql`
    with drawn as (insert into sampled_day (day) values ((${time.from}::timestamptz at time zone ${timeZone})::date) on conflict do nothing returning day)
    insert into game_sample (machine_id, game_number, day)
      select g.machine_id, g.game_number, drawn.day from drawn cross join (${someGames(time, perMachine, newId(random, "seed"))}) g
      on conflict do nothing`.execute(db);
}

type Sample = {
  readonly machineId: string;
  readonly gameNumber: number;
  readonly requestedAt: Date | null;
  readonly isLate: boolean;
};

/** Whose turn it is: those whose clip was requested, and as many new ones as may be on their way. Each is looked at by one node. */
async function samplesDue(db: AnyDb): Promise<Sample[]> {
  const { rows } = await sql<Sample>`
    with waiting as (select s.machine_id, s.game_number, s.requested_at, s.looked_at,
        row_number() over (partition by s.requested_at is null order by s.looked_at nulls first, s.machine_id, s.game_number) as n
      from game_sample s where s.state = 'waiting'),
      under_way as (select count(*) as many from waiting where requested_at > clock_timestamp() - make_interval(mins => ${REQUESTED_MIN})),
      due as (select w.machine_id, w.game_number from waiting w cross join under_way u
        where case when w.requested_at is null then w.n <= ${REQUESTED_AT_ONCE} - u.many
          else w.n <= ${AT_ONCE} and w.looked_at < clock_timestamp() - make_interval(secs => ${LOOK_MS / 2_000}) end)
    update game_sample s set looked_at = clock_timestamp()
      from (select l.machine_id, l.game_number from game_sample l join due d on d.machine_id = l.machine_id and d.game_number = l.game_number
        where l.state = 'waiting' for update of l skip locked) mine
      where s.machine_id = mine.machine_id and s.game_number = mine.game_number
      returning s.machine_id as "machineId", s.game_number::int as "gameNumber", s.requested_at as "requestedAt",
        coalesce(s.requested_at < clock_timestamp() - make_interval(hours => ${WAITED_HOURS}), false) as "isLate"`.execute(
    db,
  );
  return rows;
}

/** Requests the clip, waits for it, or decides. @returns whether it is decided. */
async function look(deps: SampleDeps, sample: Sample): Promise<boolean> {
  const { db, clips } = deps;
  const { machineId, gameNumber, requestedAt, isLate } = sample;
  const found = await gameOn(db.withTables<HistoryTables>(), `${gameNumber}.${machineId}`);
  if (found === undefined) return await decide(deps, sample, "unproved", ["The game is in no history."]);
  const clip = await clips.findClip(gameWish(found));
  if (requestedAt === null) {
    // One that somebody else wanted is theirs: it is not removed.
    await wantClip(clips, found);
    await sql`update game_sample set requested_at = clock_timestamp() where machine_id = ${machineId} and game_number = ${gameNumber}`.execute(
      db,
    );
    if (clip?.state !== "ready") return false;
  } else if (clip?.state !== "ready" && clip?.state !== "missing" && !isLate) return false;
  const { findings, isAnchored } = await proveGame(deps, found);
  const wrong = sentences(findings, "wrong");
  if (isAnchored && clip?.reason === "notRecorded")
    wrong.push("clip: The audit log has a recording of this play session, and the agent has none.");
  const absent = sentences(findings, "absent");
  if (wrong.length > 0) {
    if (clip !== undefined) await clips.lock(clip.id, `sample:${found.game.id}`);
    return await decide(deps, sample, "differs", wrong);
  }
  if (absent.length > 0) return await decide(deps, sample, "unproved", absent);
  await decide(deps, sample, "agrees", []);
  if (clip !== undefined && requestedAt !== null) await clips.forget(clip.id, requestedAt);
  return true;
}

const sentences = (findings: readonly EvidenceFinding[], wanted: EvidenceFinding["is"]): string[] =>
  findings
    // There is no file and no fingerprint.
    .filter(({ check, is }) => is === wanted && check !== "files" && check !== "fingerprint")
    .flatMap(({ check, why }) =>
      why.length === 0 ? [`${check}: nothing to prove it by`] : why.map((one) => `${check}: ${englishOf(one)}`),
    )
    .slice(0, WHY_MAX);

async function proveGame(
  { db, clips }: SampleDeps,
  found: GameOfPlayer,
): Promise<{ readonly findings: readonly EvidenceFinding[]; readonly isAnchored: boolean }> {
  const { clip, ...gathered } = await gatherGame({ db, clips }, found, null);
  const files = clip === undefined ? new Map<string, Uint8Array>() : await filesOf(clips, clip);
  const { findings } = await verifyKept({ ...gathered, "question.json": null, files });
  return { findings, isAnchored: gathered["audit.json"].links.length > 0 };
}

async function filesOf(clips: ClipReads, { id, segments, index, chain }: Clip): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const names = [
    [INDEX_FILE, index?.name],
    [CHAIN_FILE, chain?.name],
    ...segments.map(({ name }) => [segmentFile(name), name]),
  ] as const;
  let bytes = 0;
  for (const [file = "", name] of names) {
    const part = name === undefined ? undefined : await clips.openPart(id, name);
    if (part === undefined) continue;
    bytes += part.length;
    if (bytes > EVIDENCE_BYTES_MAX) throw new Error("The recording of a drawn game is too long.");
    files.set(file, part);
  }
  return files;
}

/** Keeps the result; that sources differ is an alarm in the same transaction. */
async function decide(
  { db, alarms }: SampleDeps,
  { machineId, gameNumber }: Sample,
  state: "agrees" | "differs" | "unproved",
  why: readonly string[],
): Promise<true> {
  await db.transaction().execute(async (trx) => {
    const { rows } =
      await sql`update game_sample set state = ${state}, why = ${JSON.stringify(why)}::jsonb, decided_at = clock_timestamp()
      where machine_id = ${machineId} and game_number = ${gameNumber} and state = 'waiting' returning 1`.execute(trx);
    if (state !== "differs" || rows.length === 0) return;
    await alarms.keep(trx, {
      ...{ alarm: "evidence", subject: `game:${gameNumber}.${machineId}`, machineId },
      facts: { game: gameNumber, why: why[0] ?? "" },
      sentence: "recording, meters and ledger say different things of a game",
    });
  });
  return true;
}

/** A drawn game and its result. */
export type SampleRow = {
  readonly day: string;
  readonly machineId: string;
  readonly gameNumber: number;
  readonly state: (typeof SAMPLE_STATES)[number];
  readonly why: readonly string[];
  readonly decidedAt: Date | null;
};

/** Drawn games, the newest day first. */
export async function listSamples(
  db: AnyDb,
  { state, limit }: { readonly state: SampleRow["state"] | undefined; readonly limit: number },
): Promise<SampleRow[]> {
  const { rows } = await sql<SampleRow>`
    select to_char(day, 'YYYY-MM-DD') as day, machine_id as "machineId", game_number::int as "gameNumber", state, why, decided_at as "decidedAt"
    from game_sample where (${state ?? null}::text is null or state = ${state ?? null})
    order by day desc, machine_id, game_number limit ${limit}`.execute(db);
  return rows;
}
