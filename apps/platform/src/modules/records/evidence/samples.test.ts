import { createHash } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import type { FakeMachine } from "../../../testing/fake-machine.ts";
import { longarmOf } from "../../../testing/longarm.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import type { PlayedRecorded, Recording } from "../../../testing/recorded-play.ts";
import { playRecorded, putRecording, recordingOf } from "../../../testing/recorded-play.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import { Alarms, openAlarms } from "../../play/alarms.ts";
import { createSampler } from "./samples.ts";

/* Games that are drawn without a question: each kind of disagreement that is planted is found, and calls somebody. */

const venue = sharePlayVenue(
  { env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000", SAMPLED_GAMES: "0" } },
  prepare,
);
let okan: Awaited<ReturnType<typeof staffMember>>;
async function prepare(): Promise<void> {
  okan = await staffMember({ platform: venue.platform, db: venue.database }, "okan", ["supervisor"]);
}

const quiet = { warn: () => {}, error: () => {} } as never;
const samplerOf = (games: number) =>
  createSampler({
    ...{ db: venue.db, clock: manualClock(), random: systemRandom, log: quiet, clips: venue.platform.clips },
    alarms: new Alarms({ clock: manualClock(), log: quiet }),
    venue: { timeZone: "Europe/Istanbul", games: () => games },
  });

const sumOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
type Row = { readonly state: string; readonly why: readonly string[] };
const rowOf = async (machineId: string): Promise<Row | undefined> => {
  const { rows } = await sql<Row>`select state, why from game_sample where machine_id = ${machineId}`.execute(venue.db);
  return rows[0];
};
const alarmOf = async (machineId: string) =>
  (await openAlarms(venue.db)).find((one) => one.alarm === "evidence" && one.machineId === machineId);

/** Its games were yesterday, and yesterday's are drawn now. */
async function draw(machineId: string, games = 1): Promise<void> {
  await sql`update game set taken_at = taken_at - interval '1 day' * (case when machine_id = ${machineId} then 1 else 2 end)`.execute(
    venue.db,
  );
  await sql`delete from game_sample`.execute(venue.db);
  await sql`delete from sampled_day`.execute(venue.db);
  await samplerOf(games).look();
}
/** The next look, some time later. */
async function lookAgain(): Promise<void> {
  await sql`update game_sample set looked_at = looked_at - interval '1 minute' where state = 'waiting'`.execute(
    venue.db,
  );
  await samplerOf(0).look();
}

let machines = 0;
async function proved(
  plant: (of: PlayedRecorded) => Promise<Recording | undefined> | Recording | undefined,
  play?: (machine: FakeMachine) => void,
) {
  machines += 1;
  const of = await playRecorded(venue, `smp-${String(machines).padStart(2, "0")}`, play);
  const { machineId } = of;
  await draw(machineId);
  expect(await rowOf(machineId)).toMatchObject({ state: "waiting" });
  const recording = await plant(of);
  if (recording !== undefined) await putRecording(venue, { ...of, recording });
  await lookAgain();
  return { ...of, row: await rowOf(machineId), alarm: await alarmOf(machineId) };
}

/** The recording with another text of a file; its sums are made anew, as somebody would who wants it to look right. */
function rewritten(of: PlayedRecorded, file: "index" | "chain", change: (text: string) => string): Recording {
  const { recording } = of;
  const name = `${file}.jsonl`;
  const before = Buffer.from(recording.files.get(name) ?? []).toString("utf8");
  const text = change(before);
  expect(text).not.toBe(before);
  const bytes = Buffer.from(text);
  const files = new Map(recording.files).set(name, bytes);
  return { ...recording, files, [file]: { name, bytes: bytes.length, sha256: sumOf(bytes) } };
}

test("a game of which all say the same agrees, calls no person, and its clip is not kept", async () => {
  const { row, alarm, machineId } = await proved(({ recording }) => recording);
  expect(row).toEqual({ state: "agrees", why: [] });
  expect(alarm).toBeUndefined();
  const { rows } = await sql`select id from clip where machine_id = ${machineId}`.execute(venue.db);
  expect(rows).toEqual([]);
  const later = sql`update game_sample set state = 'differs' where machine_id = ${machineId}`.execute(venue.db);
  await expect(later).rejects.toThrow("final");
});

test("a game whose win is paid by hand agrees, and so does one that won what it cost", async () => {
  const plays: ((machine: FakeMachine) => void)[] = [
    (machine) => {
      machine.startGame();
      machine.endGame(9_000, 8_000);
    },
    (machine) => machine.play(machine.bet),
  ];
  for (const play of plays)
    expect((await proved(({ recording }) => recording, play)).row).toEqual({ state: "agrees", why: [] });
});

const changeGame = ({ machineId }: PlayedRecorded, win: number, after: number) =>
  sql`update game set win = win + ${win}, credit_after = credit_after + ${after} where machine_id = ${machineId}`.execute(
    venue.db,
  );

test.each<[string, string, (of: PlayedRecorded) => Promise<Recording> | Recording]>([
  [
    "a win that was changed in the history",
    "game: win is 550, by the recording 50.",
    async (of) => {
      await changeGame(of, 500, 500);
      return of.recording;
    },
  ],
  [
    "credits that do not add up",
    "meters: Credit 5000",
    async (of) => {
      await changeGame(of, 0, 7);
      return of.recording;
    },
  ],
  [
    "a game that the ledger has otherwise than machine and recording",
    "ledger: The ledger has -50 for the game, the machine 450.",
    async (of) => {
      await changeGame(of, 500, 500);
      const { game, machineId } = of;
      return recordingOf({ ...game, win: 550, after: (game.after ?? 0) + 500 }, machineId);
    },
  ],
  [
    "the recording of another game",
    "game: The recording has no game that ended when this one did.",
    ({ game, machineId }) => recordingOf({ ...game, end: new Date(Date.parse(game.end) - 1).toISOString() }, machineId),
  ],
  [
    "a press or event that was changed in the index",
    "index: The lines before link 1 are not those that were sealed.",
    (of) => rewritten(of, "index", (text) => text.replace('"epoch":1', '"epoch":2')),
  ],
  [
    "a line that was taken out of the index",
    "index: Lines are missing between link 1 and link 3.",
    (of) =>
      rewritten(of, "index", (text) =>
        text
          .split("\n")
          .filter((line) => !line.includes('"link":2'))
          .join("\n"),
      ),
  ],
  [
    "a sealed line that was made anew",
    "chain: Link 2 does not follow the one before it.",
    (of) => rewritten(of, "chain", (text) => text.replace('"frames":60', '"frames":61')),
  ],
  [
    "video that was exchanged",
    "segments: Segment 2 is not the one that was sealed.",
    ({ recording }) => {
      const bytes = Buffer.from("another picture");
      const segments = recording.segments.map((one) =>
        one.number === 2 ? { ...one, bytes: bytes.length, sha256: sumOf(bytes) } : one,
      );
      return { ...recording, segments, files: new Map(recording.files).set("segments/0000002.mp4", bytes) };
    },
  ],
  [
    "a segment that was left out",
    "clip: Segment 2 was recorded and is left out.",
    ({ recording }) => ({ ...recording, segments: recording.segments.filter(({ number }) => number !== 2) }),
  ],
  [
    "a recording that is not the one that was anchored",
    "anchor: Link 3 of the recording is not what the audit log has.",
    async (of) => {
      const { machineId, game, agent, recording } = of;
      const anchor = { machineId, playSessionId: game.session, links: 3, head: "0".repeat(64) };
      expect(await agent.peer.request("recording.anchor", anchor)).toMatchObject({ is: "done" });
      return recording;
    },
  ],
])("%s calls somebody, and the clip is held", async (_what, sentence, plant) => {
  const { row, alarm, machineId, game } = await proved(plant);
  expect(row?.state).toBe("differs");
  expect(row?.why).toContainEqual(expect.stringContaining(sentence));
  expect(alarm).toMatchObject({ subject: `game:${game.id}`, facts: { game: game.number } });
  const { rows } = await sql`select h.case_id from clip c join clip_hold h on h.clip_id = c.id
    where c.machine_id = ${machineId} and h.case_id = ${`sample:${game.id}`}`.execute(venue.db);
  expect(rows).toHaveLength(1);
});

test("somebody sees it among the tasks, and says that it is settled", async () => {
  const of = await proved(async (played) => {
    await changeGame(played, 500, 500);
    return played.recording;
  });
  const tasks = async () =>
    ((await okan.get("tasks")).body["rows"] as { id: string; kind: string; machine: { id: string } | null }[]).filter(
      ({ kind, machine }) => kind === "evidenceDiffers" && machine?.id === of.machineId,
    );
  const [task] = await tasks();
  expect((await okan.act("closeTask", { id: task?.id ?? "" }, { reason: "looked at it" })).body).toMatchObject({
    is: "done",
  });
  expect(await tasks()).toEqual([]);
  const { said } = await longarmOf(venue)("evidence", "list", "--state", "differs");
  expect(said).toContain(`${of.machineId}  game ${of.game.number}  differs`);
  expect(said).toContain("win is 550");
  const { rows } = (await okan.get("sampled-games?state=differs")).body as { rows: Row[] };
  expect(rows).toContainEqual(
    expect.objectContaining({
      ...{ machine: expect.objectContaining({ id: of.machineId }), gameNumber: of.game.number, state: "differs" },
      why: expect.arrayContaining([expect.stringContaining("win is 550")]),
    }),
  );
});

test("what is not recorded is its own result and no agreement; what differs without it calls somebody all the same", async () => {
  const none = async ({ machineId }: PlayedRecorded): Promise<undefined> => {
    await sql`update clip set state = 'missing', reason = 'notRecorded' where machine_id = ${machineId}`.execute(
      venue.db,
    );
  };
  const { row, alarm } = await proved(none);
  expect(row?.state).toBe("unproved");
  expect(row?.why).toContain("clip: There is no recording: notRecorded.");
  expect(alarm).toBeUndefined();
  const other = await proved(async (of) => {
    await changeGame(of, 500, 500);
    return await none(of);
  });
  expect(other.row).toMatchObject({ state: "differs", why: [expect.stringContaining("ledger")] });
  expect(other.alarm).toBeDefined();
});

test("an agent that has no recording of what it had anchored calls somebody", async () => {
  const { row, alarm } = await proved(async ({ machineId, game, agent }) => {
    const anchor = { machineId, playSessionId: game.session, links: 9, head: "a".repeat(64) };
    await agent.peer.request("recording.anchor", anchor);
    await sql`update clip set state = 'missing', reason = 'notRecorded' where machine_id = ${machineId}`.execute(
      venue.db,
    );
    return undefined;
  });
  expect(row).toEqual({
    ...{ state: "differs" },
    why: ["clip: The audit log has a recording of this play session, and the agent has none."],
  });
  expect(alarm).toBeDefined();
});

test("an agent that stays away is waited for a day, and is a result then", async () => {
  const { row, machineId } = await proved(() => undefined);
  expect(row?.state).toBe("waiting");
  await sql`update game_sample set requested_at = requested_at - interval '25 hours' where machine_id = ${machineId}`.execute(
    venue.db,
  );
  await lookAgain();
  expect(await rowOf(machineId)).toMatchObject({ state: "unproved" });
});

test("of each machine so many games are drawn, once a day, and none where the venue wants none", async () => {
  const { machineId } = await playRecorded(venue, "smp-many", (machine) => {
    for (let n = 0; n < 9; n += 1) machine.play(50);
  });
  const drawn = async () => {
    const { rows } = await sql<{
      number: number;
    }>`select game_number::int as number from game_sample where machine_id = ${machineId}`.execute(venue.db);
    return rows.map(({ number }) => number);
  };
  await draw(machineId, 0);
  expect(await drawn()).toEqual([]);
  const seen = new Set<string>();
  for (let n = 0; n < 5; n += 1) {
    await sql`update game set taken_at = taken_at + interval '1 day' where machine_id = ${machineId}`.execute(venue.db);
    await draw(machineId, 2);
    const games = await drawn();
    expect(games).toHaveLength(2);
    seen.add(games.toSorted((a, b) => a - b).join());
    await samplerOf(2).look();
    expect(await drawn()).toEqual(games);
  }
  expect(seen.size).toBeGreaterThan(1);
});
