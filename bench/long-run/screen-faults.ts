import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../../rig/chance.ts";
import { dropGameSocket } from "../../rig/page/visitor.ts";
import type { Counts } from "./counts.ts";
import type { HourVenue } from "./hour-venue.ts";
import type { Person } from "./person.ts";

type MischiefDeps = {
  readonly venue: HourVenue;
  readonly people: readonly Person[];
  readonly trouble: Trouble;
  readonly chance: Chance;
  readonly counts: Counts;
  readonly say: (line: string) => void;
  readonly goesOn: () => boolean;
};

/** One thing that goes wrong and is mended again; resolves once it is. */
type Prank = (deps: MischiefDeps, victim: Person) => Promise<void>;

const SECOND = 1_000;
const LOOK_AGAIN_MS = 500;
const names = (people: readonly Person[]) => people.map(({ name }) => name);
const wait = ({ chance }: MischiefDeps, least: number, most: number) => pause(chance.between(least, most) * SECOND);

/** Breaks something for these people, waits, and mends it whatever happens. */
async function broken(
  deps: MischiefDeps,
  hurt: readonly Person[],
  spell: readonly [number, number],
  mend: () => unknown,
) {
  const end = deps.trouble.begin(names(hurt));
  try {
    await wait(deps, ...spell);
  } finally {
    await mend();
    end();
  }
}

/** Staff's word, said again until the platform hears it. */
async function staff({ venue, goesOn }: MischiefDeps, ...words: string[]): Promise<void> {
  while ((await venue.staff(...words)) === undefined && goesOn()) await pause(2 * SECOND);
}

const atMachine =
  (event: string, spell: readonly [number, number]): Prank =>
  async (deps, victim) => {
    const machine = victim.machine();
    if (machine === undefined) return;
    const end = deps.trouble.begin(names(deps.people));
    try {
      if ((await deps.venue.staff("simulate", machine, event)) !== undefined) await wait(deps, ...spell);
    } finally {
      await staff(deps, "simulate", machine, "repair");
      end();
    }
  };

/** Comes with the machine's next game and breaks nothing. */
const luck =
  (event: string): Prank =>
  async (deps, victim) => {
    const machine = victim.machine();
    if (machine !== undefined) await deps.venue.staff("simulate", machine, event);
    await wait(deps, 5, 15);
  };

const owed = async ({ venue }: MischiefDeps, machine: string) =>
  Number(
    await venue.ask(
      `select count(*)::int as answer from hand_pay where confirmed_at is null and machine_id = '${machine}'`,
    ),
  );

const handPay: Prank = async (deps, victim) => {
  const machine = victim.machine();
  if (machine === undefined) return;
  const end = deps.trouble.begin(names(deps.people));
  try {
    await deps.venue.staff("simulate", machine, "handpay");
    for (let look = 0; look < 50 && (await owed(deps, machine)) === 0; look += 1) await pause(LOOK_AGAIN_MS);
    await wait(deps, 3, 12);
    await staff(deps, "simulate", machine, "repair");
    if ((await owed(deps, machine)) > 0) await staff(deps, "handpay", "confirm", machine);
  } finally {
    end();
  }
};

const cutLink =
  (spell: readonly [number, number]): Prank =>
  async (deps, victim) => {
    const path = victim.path();
    await path.cut(true);
    await broken(deps, [victim], spell, () => path.cut(false));
  };

const offline: Prank = async (deps, victim) => {
  const path = victim.path();
  await path.cut(true);
  await victim.context.setOffline(true);
  await dropGameSocket(victim.page()).catch(() => {});
  await broken(deps, [victim], [1, 20], async () => {
    await path.cut(false);
    await victim.context.setOffline(false);
  });
};

const badLoss: Prank = async (deps, victim) => {
  Object.assign(victim.damage, { lossShare: deps.chance.between(0.05, 0.4), delayMs: deps.chance.between(5, 120) });
  await broken(deps, [victim], [5, 20], () => Object.assign(victim.damage, { lossShare: 0, delayMs: 0 }));
};

const newNetwork: Prank = async (deps, victim) => {
  await victim.path().move();
  await dropGameSocket(victim.page()).catch(() => {});
  await broken(deps, [victim], [0, 1], () => {});
};

const lostSocket: Prank = async (deps, victim) => {
  await dropGameSocket(victim.page()).catch(() => {});
  await broken(deps, [victim], [0, 1], () => {});
};

const killed =
  (who: "agent" | "platform"): Prank =>
  async (deps) => {
    const { venue, people } = deps;
    await venue[who].kill();
    await broken(deps, people, [0.5, 10], () => venue[who].restart());
  };

const standsStill: Prank = async (deps) => {
  const pid = deps.venue.platform.pid();
  process.kill(pid, "SIGSTOP");
  await broken(deps, deps.people, [3, 20], () => process.kill(pid, "SIGCONT"));
};

const AT_MACHINES: readonly (readonly [number, readonly [string, Prank]])[] = [
  [3, ["door", atMachine("door", [2, 15])]],
  [3, ["tilt", atMachine("tilt", [2, 15])]],
  [3, ["machine offline", atMachine("offline", [2, 20])]],
  [3, ["hand pay", handPay]],
  [2, ["bonus", luck("bonus")]],
  [2, ["free spins", luck("freespins")]],
  [1, ["jackpot", luck("jackpot")]],
  [1, ["agent killed", killed("agent")]],
  [1, ["platform killed", killed("platform")]],
  [0.7, ["platform stands still", standsStill]],
];
const ON_LINES: readonly (readonly [number, readonly [string, Prank]])[] = [
  [3, ["blink of the link", cutLink([0.1, 1.5])]],
  [3, ["link cut", cutLink([2, 25])]],
  [2, ["browser offline", offline]],
  [3, ["bad loss", badLoss]],
  [2, ["new network", newNetwork]],
  [2, ["game socket lost", lostSocket]],
];

/** Breaks and mends until told to stop: one hand at the machines and the venue, one on the lines. */
export async function makeMischief(deps: MischiefDeps): Promise<void> {
  const hand = async (pranks: typeof ON_LINES): Promise<void> => {
    while (deps.goesOn()) {
      await wait(deps, 4, 16);
      if (!deps.goesOn()) return;
      const [name, prank] = deps.chance.weighted(pranks);
      const victim = deps.chance.pick(deps.people);
      deps.counts.add(name);
      deps.say(`mischief: ${name} (${victim.name})`);
      await prank(deps, victim).catch((error: unknown) => deps.say(`mischief failed: ${name}: ${String(error)}`));
    }
  };
  await Promise.all([hand(AT_MACHINES), hand(ON_LINES)]);
}

/** Everything is mended, and what machines owe is paid. */
export async function mendAll({ venue }: Pick<MischiefDeps, "venue">): Promise<void> {
  const machines = String(await venue.ask("select string_agg(id, ' ') as answer from machine")).split(" ");
  for (const machine of machines) {
    await venue.staff("simulate", machine, "repair");
    await venue.staff("handpay", "confirm", machine);
  }
}

/** What is broken on purpose now, and for whom. */
export type Trouble = {
  /** Something breaks for these players. Call the answer once it is mended. */
  begin(players: readonly string[]): () => void;
  /** For how long nothing has been broken for this player, ms; 0 while something is. */
  calmMs(player: string): number;
};

/** `now`: ms of a clock that only goes forward. */
export function createTrouble(now: () => number): Trouble {
  const began = now();
  const open = new Set<readonly string[]>();
  const mended = new Map<string, number>();
  return {
    begin(players) {
      const hurt = [...players];
      open.add(hurt);
      return () => {
        if (!open.delete(hurt)) return;
        for (const player of hurt) mended.set(player, now());
      };
    },
    calmMs(player) {
      if ([...open].some((hurt) => hurt.includes(player))) return 0;
      return now() - (mended.get(player) ?? began);
    },
  };
}
