import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@longarm/database/clock";
import type { Database } from "@longarm/database/connection";
import { openDatabase } from "@longarm/database/connection";
import type { Log } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { openLedger } from "@longarm/ledger/ledger";
import { platformMigrations } from "@longarm/platform/migration-sets";
import { agentOfHeader, enrolAgent } from "@longarm/platform/modules/play/agents/index";
import type { PlayDb } from "@longarm/platform/modules/play/tables";
import type { Players } from "@longarm/platform/modules/players/accounts/index";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import type { PromotionsTables } from "@longarm/platform/modules/players/promotions/index";
import { grantBonus, listGrants } from "@longarm/platform/modules/players/promotions/index";
import { openAudit } from "@longarm/platform/modules/records/audit/index";
import type { StaffTables } from "@longarm/platform/modules/staff/accounts/index";
import { addPerson, invite, listPeople, seedRoles } from "@longarm/platform/modules/staff/accounts/index";
import type { EntryKind, QuickPanelTables } from "@longarm/platform/modules/talk/quick-panel/index";
import { addEntry, hadEntries } from "@longarm/platform/modules/talk/quick-panel/index";
import { systemRandom } from "@longarm/platform/random";
import type { SampleMachine } from "@longarm/platform/testing/sample-days";
import { writeSampleDays } from "@longarm/platform/testing/sample-days";
import { brandName, simulatedFloor } from "@longarm/reels/brands";

export type DemoPlayer = {
  readonly username: string;
  readonly password: string;
  /** Opens the idle lock. */
  readonly pin: string;
  readonly name: string;
  readonly lastname: string;
  readonly email: string;
};

/** First deposit of a demo player, minor units: the balance of the design's pictures. */
export const DEMO_DEPOSIT_MINOR = 1_245_075;

/** What a demo player can claim at first, minor units. */
const DEMO_BONUS_MINOR = 25_000;

/** Players of the embedded default. Their password is public, so they are marked as demo players. */
export const DEMO_PLAYERS: readonly DemoPlayer[] = [
  {
    username: "deniz.aydin",
    password: "longarm",
    pin: "4915",
    name: "Deniz",
    lastname: "Aydın",
    email: "deniz.aydin@example.com",
  },
  {
    username: "elif.kaya",
    password: "longarm",
    pin: "7038",
    name: "Elif",
    lastname: "Kaya",
    email: "elif.kaya@example.com",
  },
];

/** The first entries of the quick panel, the last one on top, in the language that the page has at first. */
const DEMO_ENTRIES: readonly (readonly [EntryKind, string, string])[] = [
  ["note", "Sorunuz mu var?", "Takım sohbetinden bize yazın."],
  ["note", "Bakım", "Makineler her salı 05.00 ile 06.00 arasında kapalıdır."],
  ["event", "Jackpot gecesi", "Cuma 21.00, bütün salonlarda"],
  ["event", "Yeni makineler", "Pera salonu bu hafta açılıyor."],
];

const AGENT_NAME = "floor";
/** Where the key of our own agent is kept, in the data folder. */
const KEY_FILE = "agent.key";

export type Seeded = {
  readonly agentKey: string;
  /** The first demo player still has the password of `DEMO_PLAYERS`. */
  readonly demoPasswordHolds: boolean;
  /** And the PIN of `DEMO_PLAYERS`: one of an older release, or of the player's own, stays. */
  readonly demoPinHolds: boolean;
};

/** The same history each time, as long before now. */
const SAMPLE_SEED = 17;

/** What decides whether sample days may be written. */
export type SampleWish = {
  readonly sampleDays: boolean;
  readonly databaseUrl: string | undefined;
  readonly machines: number;
  readonly cabinets: number;
  /** `MACHINES` of the environment. */
  readonly machinesList: string | undefined;
  /** The agent of this data folder has run before: its machines have counted games. */
  readonly agentHasRun: boolean;
};

/** The machines that get sample days: those of a demonstration floor that begins. None with a database or machines of the operator's own, whatever is wished. */
export function sampleFloor(wish: SampleWish): SampleMachine[] {
  const { sampleDays, databaseUrl, machines, cabinets, machinesList, agentHasRun } = wish;
  if (!sampleDays || databaseUrl !== undefined || cabinets > 0 || machinesList || agentHasRun) return [];
  return simulatedFloor(machines).map(({ brand, ...machine }) => ({ ...machine, brand: brandName(brand) }));
}

/** Migrates, adds the demo players that are missing, enrols our own agent where its key is not known, and writes sample days of these machines. */
export async function seed(
  databaseUrl: string,
  dataFolder: string,
  log: Log,
  sample: readonly SampleMachine[] = [],
): Promise<Seeded> {
  const db = openDatabase<unknown>({ url: databaseUrl, maxConnections: 2, log });
  try {
    await migrate({ pool: db.pool, sets: platformMigrations, log });
    const ledger = openLedger(db.kysely);
    const players = await createPlayers({ db, ledger, random: systemRandom });
    for (const player of DEMO_PLAYERS) await seedPlayer(db, players, player);
    await seedQuickPanel(db);
    const first = await players.findByName(DEMO_PLAYERS[0]?.username ?? "");
    const play = db.kysely as unknown as PlayDb;
    const key = await agentKey(join(dataFolder, KEY_FILE), {
      isKnown: async (kept) => (await agentOfHeader(play, `Bearer ${kept}`)) !== undefined,
      enrol: async () => (await enrolAgent(play, systemRandom, AGENT_NAME)).key,
    });
    const agent = await agentOfHeader(play, `Bearer ${key}`);
    if (sample.length > 0 && agent !== undefined)
      await writeSampleDays({
        ...{ db, ledger, random: systemRandom, agentId: agent.id },
        ...{ machines: sample, now: systemClock.now(), seed: SAMPLE_SEED },
      });
    const demoPinHolds = first !== undefined && (await players.checkPin(first, DEMO_PLAYERS[0]?.pin ?? ""));
    return { agentKey: key, demoPasswordHolds: first?.password_changed_at === null, demoPinHolds };
  } finally {
    await db.close();
  }
}

/** A data folder of an older release has its players without what came later: they get it now. */
async function seedPlayer(db: Database<unknown>, players: Players, player: DemoPlayer): Promise<void> {
  const added = await players.add({ ...player, demo: true, depositMinor: DEMO_DEPOSIT_MINOR });
  if (added.is === "refused") throw new Error(`The demo player ${player.username} was refused: ${added.sentence}`);
  await players.givePin(added.id, player.pin);
  const promotions = db.kysely.withTables<PromotionsTables>();
  if ((await listGrants(promotions, { playerId: added.id, limit: 1 })).length > 0) return;
  const welcome = { amountMinor: DEMO_BONUS_MINOR, reason: "welcome to the demo", grantedBy: "npm start" };
  const granted = await grantBonus(promotions, systemRandom, { ...welcome, playerId: added.id });
  if (granted.is === "refused")
    throw new Error(`The demo bonus of ${player.username} was refused: ${granted.sentence}`);
}

/** Once: what staff has taken out does not come back. */
async function seedQuickPanel(db: Database<unknown>): Promise<void> {
  const panel = db.kysely.withTables<QuickPanelTables>();
  if (await hadEntries(panel)) return;
  for (const [kind, title, detail] of DEMO_ENTRIES)
    await addEntry(panel, { kind, title, detail, addedBy: "npm start" });
}

/**
 * The first administrator of the console, who is added where there is no member of staff. Answers the token of a new one-time link for as long as that
 * person has not signed in; undefined: somebody has.
 */
export async function firstAdministrator(databaseUrl: string, log: Log): Promise<string | undefined> {
  const db = openDatabase<unknown>({ url: databaseUrl, maxConnections: 1, log });
  try {
    const staff = db.kysely.withTables<StaffTables>();
    await seedRoles(staff);
    return await staff.transaction().execute(async (trx) => {
      await openAudit(trx, SEEDER).actAs(SEEDER);
      const people = await listPeople(trx);
      if (people.length === 0) {
        const names = { username: "admin", name: "First administrator" };
        const added = await addPerson(trx, systemRandom, { ...names, roles: ["administrator"], addedBy: SEEDER });
        return added.is === "added" ? (await invite(trx, systemRandom, added.id)).token : undefined;
      }
      const first = people.find(({ added_by, ended_at }) => added_by === SEEDER && ended_at === null);
      if (first === undefined || first.passkeys > 0 || first.hasPassword || first.directory !== null) return undefined;
      return (await invite(trx, systemRandom, first.id)).token;
    });
  } finally {
    await db.close();
  }
}
const SEEDER = "npm start";

/**
 * The key that is kept in a file, readable by its owner alone; a new one where there is none, or where the platform does not know it any
 * more (another database, or one that was restored).
 */
export async function agentKey(
  file: string,
  { isKnown, enrol }: { isKnown: (key: string) => Promise<boolean>; enrol: () => Promise<string> },
): Promise<string> {
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  if (kept !== "" && (await isKnown(kept))) return kept;
  const key = await enrol();
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await chmod(`${file}.new`, 0o600);
  await rename(`${file}.new`, file);
  return key;
}
