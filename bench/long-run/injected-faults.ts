import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../../rig/chance.ts";
import type { Counts } from "../../rig/figures.ts";
import { dropGameSocket } from "../../rig/page/visitor.ts";
import { runLongarm } from "../../rig/venue/staff.ts";
import type { Venue } from "../../rig/venue/venue.ts";
import type { BrowserPlayer } from "./browser-player.ts";

type Injection = {
  readonly venue: Venue;
  readonly players: readonly BrowserPlayer[];
  readonly trouble: Trouble;
  readonly chance: Chance;
  readonly counts: Counts;
  readonly say: (line: string) => void;
  readonly isRunning: () => boolean;
};

/** One thing that goes wrong and is repaired again; resolves once it is. */
type InjectedFault = (deps: Injection, victim: BrowserPlayer) => Promise<void>;

const SECOND = 1_000;
const LOOK_AGAIN_MS = 500;
const names = (players: readonly BrowserPlayer[]) => players.map(({ name }) => name);
const wait = ({ chance }: Injection, least: number, most: number) => pause(chance.between(least, most) * SECOND);

/** Waits while something is broken for these players, and repairs it whatever happens. */
async function broken(
  deps: Injection,
  hurt: readonly BrowserPlayer[],
  spell: readonly [number, number],
  repair: () => unknown,
) {
  const end = deps.trouble.begin(names(hurt));
  try {
    await wait(deps, ...spell);
  } finally {
    await repair();
    end();
  }
}

/** One command of staff; false: the platform could not carry it out. */
async function staff({ venue }: Pick<Injection, "venue">, ...words: string[]): Promise<boolean> {
  return (await runLongarm(venue, words)).code === 0;
}

/** Repeats a command of staff until the platform carries it out. */
async function insist(deps: Injection, ...words: string[]): Promise<void> {
  while (!(await staff(deps, ...words)) && deps.isRunning()) await pause(2 * SECOND);
}

const atMachine =
  (event: string, spell: readonly [number, number]): InjectedFault =>
  async (deps, victim) => {
    const machine = victim.machine();
    if (machine === undefined) return;
    const end = deps.trouble.begin(names(deps.players));
    try {
      if (await staff(deps, "simulate", machine, event)) await wait(deps, ...spell);
    } finally {
      await insist(deps, "simulate", machine, "repair");
      end();
    }
  };

/** Comes with the machine's next game and breaks nothing. */
const luck =
  (event: string): InjectedFault =>
  async (deps, victim) => {
    const machine = victim.machine();
    if (machine !== undefined) await staff(deps, "simulate", machine, event);
    await wait(deps, 5, 15);
  };

const owed = async ({ venue }: Injection, machine: string) =>
  Number(
    await venue.ask(
      `select count(*)::int as answer from hand_pay where confirmed_at is null and machine_id = '${machine}'`,
    ),
  );

const handPay: InjectedFault = async (deps, victim) => {
  const machine = victim.machine();
  if (machine === undefined) return;
  const end = deps.trouble.begin(names(deps.players));
  try {
    await staff(deps, "simulate", machine, "handpay");
    for (let look = 0; look < 50 && (await owed(deps, machine)) === 0; look += 1) await pause(LOOK_AGAIN_MS);
    await wait(deps, 3, 12);
    await insist(deps, "simulate", machine, "repair");
    if ((await owed(deps, machine)) > 0) await insist(deps, "handpay", "confirm", machine);
  } finally {
    end();
  }
};

const cutLink =
  (spell: readonly [number, number]): InjectedFault =>
  async (deps, victim) => {
    const path = victim.path();
    await path.cut(true);
    await broken(deps, [victim], spell, () => path.cut(false));
  };

const offline: InjectedFault = async (deps, victim) => {
  const path = victim.path();
  await path.cut(true);
  await victim.context.setOffline(true);
  await dropGameSocket(victim.page()).catch(() => {});
  await broken(deps, [victim], [1, 20], async () => {
    await path.cut(false);
    await victim.context.setOffline(false);
  });
};

const badLoss: InjectedFault = async (deps, victim) => {
  Object.assign(victim.damage, { lossShare: deps.chance.between(0.05, 0.4), delayMs: deps.chance.between(5, 120) });
  await broken(deps, [victim], [5, 20], () => Object.assign(victim.damage, { lossShare: 0, delayMs: 0 }));
};

const newNetwork: InjectedFault = async (deps, victim) => {
  await victim.path().move();
  await dropGameSocket(victim.page()).catch(() => {});
  await broken(deps, [victim], [0, 1], () => {});
};

const lostSocket: InjectedFault = async (deps, victim) => {
  await dropGameSocket(victim.page()).catch(() => {});
  await broken(deps, [victim], [0, 1], () => {});
};

const killed =
  (program: "agent" | "platform"): InjectedFault =>
  async (deps) => {
    const { venue, players } = deps;
    await venue[program].kill();
    await broken(deps, players, [0.5, 10], () => venue[program].restart());
  };

const suspended: InjectedFault = async (deps) => {
  const pid = deps.venue.platform.pid();
  process.kill(pid, "SIGSTOP");
  await broken(deps, deps.players, [3, 20], () => process.kill(pid, "SIGCONT"));
};

const AT_MACHINES: readonly (readonly [number, readonly [string, InjectedFault]])[] = [
  [3, ["door", atMachine("door", [2, 15])]],
  [3, ["tilt", atMachine("tilt", [2, 15])]],
  [3, ["machine offline", atMachine("offline", [2, 20])]],
  [3, ["hand pay", handPay]],
  [2, ["bonus", luck("bonus")]],
  [2, ["free spins", luck("freespins")]],
  [1, ["jackpot", luck("jackpot")]],
  [1, ["agent killed", killed("agent")]],
  [1, ["platform killed", killed("platform")]],
  [0.7, ["platform suspended", suspended]],
];
const ON_THE_NETWORK: readonly (readonly [number, readonly [string, InjectedFault]])[] = [
  [3, ["blink of the link", cutLink([0.1, 1.5])]],
  [3, ["link cut", cutLink([2, 25])]],
  [2, ["browser offline", offline]],
  [3, ["bad loss", badLoss]],
  [2, ["new network", newNetwork]],
  [2, ["game socket lost", lostSocket]],
];

/** Breaks and repairs for the length of the run: one sequence at the machines and the venue, one on the network. */
export async function injectFaults(deps: Injection): Promise<void> {
  const sequence = async (faults: typeof ON_THE_NETWORK): Promise<void> => {
    while (deps.isRunning()) {
      await wait(deps, 4, 16);
      if (!deps.isRunning()) return;
      const [name, inject] = deps.chance.weighted(faults);
      const victim = deps.chance.pick(deps.players);
      deps.counts.add(name);
      deps.say(`injects: ${name} (${victim.name})`);
      await inject(deps, victim).catch((error: unknown) => deps.say(`not injected: ${name}: ${String(error)}`));
    }
  };
  await Promise.all([sequence(AT_MACHINES), sequence(ON_THE_NETWORK)]);
}

/** Repairs every machine, and pays what machines owe. */
export async function repairAll(venue: Venue): Promise<void> {
  for (const machine of await venue.machineIds()) {
    await staff({ venue }, "simulate", machine, "repair");
    await staff({ venue }, "handpay", "confirm", machine);
  }
}

/** What is broken on purpose now, and for whom. */
export type Trouble = {
  /** Something breaks for these players. Call what it returns once it is repaired. */
  begin(players: readonly string[]): () => void;
  /** For how long nothing has been broken for this player, ms; 0 while something is. */
  calmMs(player: string): number;
};

/** `now`: ms of a clock that only goes forward. */
export function createTrouble(now: () => number): Trouble {
  const began = now();
  const open = new Set<readonly string[]>();
  const repaired = new Map<string, number>();
  return {
    begin(players) {
      const hurt = [...players];
      open.add(hurt);
      return () => {
        if (!open.delete(hurt)) return;
        for (const player of hurt) repaired.set(player, now());
      };
    },
    calmMs(player) {
      if ([...open].some((hurt) => hurt.includes(player))) return 0;
      return now() - (repaired.get(player) ?? began);
    },
  };
}
