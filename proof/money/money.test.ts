import { createHash } from "node:crypto";
import { PROVIDER_ANSWER_MS } from "@longarm/contract/payment-provider";
import type { PaymentKind } from "@longarm/contract/payments";
import { OPEN_PAYMENTS } from "@longarm/contract/payments";
import { dropDatabase } from "@longarm/database/testing/server";
import type {} from "@longarm/database/testing-setup";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { FRIENDLY } from "./call-line.ts";
import type { Databases, Observe } from "./database.ts";
import { databases, makeTemplate } from "./database.ts";
import type { Deed } from "./deeds.ts";
import type { Figures } from "./figures.ts";
import { add, TRANSFERS } from "./figures.ts";
import type { WalletKind } from "./operator-side.ts";
import { PROMPT, PROVIDERS, paymentLines, reviewOne } from "./provider-side.ts";
import type { MachineKind } from "./sas-machine.ts";
import type { StoryFailed, StoryHeld } from "./story.ts";
import { checkStory, runStory } from "./story.ts";
import type { Plant } from "./world.ts";
import { openWorld, PLANTS } from "./world.ts";

/* A short run of `npm run proof -- money`, and the proof of the proof: bugs that are put in on purpose are found. */

const TEMPLATE = "money_proof_template";
const server = inject("longarmTestServer");
let stock: Databases;
beforeAll(async () => {
  await makeTemplate(server, TEMPLATE);
  stock = databases(server, TEMPLATE, "money_proof");
});
afterAll(async () => {
  await stock.end();
  await dropDatabase(server, TEMPLATE);
});

const SEEDS = WHOLE_RUN ? [1, 2, 3, 4, 5, 6] : [2, 3];
const OPERATOR_SEEDS = WHOLE_RUN ? [1, 2, 3, 4, 5, 6] : [2];
const STORY = { deedsMax: 500, faults: 3 } as const;
const SAS_SEEDS = WHOLE_RUN ? [1, 2, 3, 4, 5, 6] : [9];
const SAS_STORY = { deedsMax: 300, faults: 3 } as const;

function failureText(
  { seed, sentence, path }: StoryFailed,
  { deedsMax, faults }: { readonly deedsMax: number; readonly faults: number },
  machine: MachineKind,
  wallet = "own",
): string {
  return `${sentence}\nnpm run proof -- money --seed ${seed} --deeds ${deedsMax} --faults ${faults} --machine ${machine} --wallet ${wallet} --stories 1 --path ${path}`;
}

test("whatever breaks, in each story of money no coin is lost or doubled, and all of it comes home", async () => {
  const figures: Figures = {};
  for (const seed of SEEDS) {
    const end = await checkStory(stock, { checkEvery: 5, machines: "simulated" }, { seed, ...STORY, shrinkMs: 0 });
    if (end.is === "failed") expect.fail(failureText(end, STORY, "simulated"));
    add(figures, end.figures);
  }
  console.log(`money in seeds ${SEEDS.join(" ")}: ${figures[TRANSFERS]} transfers, ${figures["faults"]} faults`);
  expect(figures[TRANSFERS]).toBeGreaterThan(30 * SEEDS.length);
  expect(figures["faults"]).toBeGreaterThan(8 * SEEDS.length);
}, 600_000);

test("with the players' money in a wallet of the operator's neither, whatever calls and answers are lost or late", async () => {
  const figures: Figures = {};
  const room = { checkEvery: 5, machines: "simulated", wallet: "operator" } as const;
  for (const seed of OPERATOR_SEEDS) {
    const end = await checkStory(stock, room, { seed, ...STORY, shrinkMs: 0 });
    if (end.is === "failed") expect.fail(failureText(end, STORY, "simulated", "operator"));
    add(figures, end.figures);
  }
  console.log(`money of the operator's in seeds ${OPERATOR_SEEDS.join(" ")}: ${JSON.stringify(figures)}`);
  expect(figures["cashIn done"]).toBeGreaterThan(0);
  expect(figures["cashOut done"]).toBeGreaterThan(0);
  expect(Object.keys(figures).join()).toContain("operator's wallet");
}, 600_000);

const NO_PLANTS = { forgetful: false, hasty: false, silenceIsNo: false, providerSilenceIsNo: false } as const;
/** Virtual time that no payment needs, ms. */
const LONG_MS = 30_000;

/** Lets some statements wait in real time, as a computer with other work does. */
function unsteady(stock: Databases): Databases {
  return {
    end: () => stock.end(),
    async client() {
      const client = await stock.client();
      const send = client.query.bind(client) as (...words: unknown[]) => unknown;
      const later = async (...words: unknown[]): Promise<unknown> => {
        if (Math.random() < 0.05) await new Promise((go) => setTimeout(go, Math.random() * 5));
        return await send(...words);
      };
      return Object.assign(client, { query: later });
    },
  };
}

test.each(["simulated", "sas"] as const)(
  "the same seed is the same story on %s machines, to the last statement, whatever else this computer does",
  { tags: ["long"], timeout: 300_000 },
  async (machines) => {
    const live = async (from: Databases, seed: number): Promise<{ end: StoryHeld | StoryFailed; observed: string }> => {
      const all = createHash("sha256");
      const observed: Observe = (sql, values, nowMs) => void all.update(JSON.stringify([sql, values, nowMs]));
      const end = await checkStory(
        from,
        { checkEvery: 50, machines, observed },
        { seed, deedsMax: 150, faults: 5, shrinkMs: 0 },
      );
      return { end, observed: all.digest("hex") };
    };
    const first = await live(stock, 11);
    expect(first.end.is).toBe("held");
    const beside = databases(server, TEMPLATE, "money_proof_beside");
    const [again] = await Promise.all([live(unsteady(stock), 11), live(beside, 12)]);
    await beside.end();
    expect(again).toEqual(first);
  },
);

test("a provider of payments that is silent delays nothing of another one", async () => {
  const client = await stock.client();
  const about = { agents: 1, machinesOfAgent: 12, machines: "simulated", wallet: "own" } as const;
  const world = await openWorld({ client, seed: 1, ...about, ...NO_PLANTS });
  const { schedule, visitors, gate } = world;
  const [acme, bolt] = world.providers;
  // Who has a limit, and who is poor, pays nothing.
  const payers = visitors.slice(2, 10);
  const pay = (way: string, kind: PaymentKind, amount: number) => {
    for (const visitor of payers) visitor.pay({ way, kind, amount }).catch(schedule.fail);
  };
  /** Virtual time until one payment of each kind and player has reached bolt, and until all of them are at their end, ms. */
  const lasts = async () => {
    const [since, wanted] = [schedule.now(), bolt!.provider.payments().size + 2 * payers.length];
    const ms = { sent: 0, ended: 0 };
    pay("bolt", "deposit", 2_000);
    // Staff lets it go, so a look says it, not the request.
    pay("bolt", "withdrawal", 8_000);
    await schedule.pass(200);
    world.node
      .staff(async (trx, ledger) => {
        for (const _ of payers) await reviewOne(trx, ledger, { at: 0, approves: true });
      })
      .catch(schedule.fail);
    for (let open = wanted; open > 0 && ms.ended < LONG_MS; ms.ended = schedule.now() - since) {
      bolt!.decideAll();
      await schedule.pass(100);
      if (bolt!.provider.payments().size < wanted) ms.sent = schedule.now() - since;
      if (!gate.idle) continue;
      const rows = await paymentLines(world);
      open = rows.filter(({ way, state }) => way === "bolt" && OPEN_PAYMENTS.some((one) => one === state)).length;
    }
    return ms;
  };
  const alone = await lasts();
  acme!.weather = { ...PROMPT, calls: { ...FRIENDLY, lost: 1 } };
  // More than one look says at once.
  for (const kind of ["deposit", "withdrawal", "deposit"] as const) pay("acme", kind, 2_000);
  // The requests had no answer; now a look waits for one.
  await schedule.pass(LONG_MS, () => (world.faults.get("call to a provider: lost") ?? 0) > 3 * payers.length);
  const beside = await lasts();
  expect(acme!.provider.payments().size, "acme has received nothing").toBe(0);
  expect((await paymentLines(world)).filter(({ way }) => way === "acme")).toHaveLength(3 * payers.length);
  console.log(`payments alone ${JSON.stringify(alone)}, beside a silent provider ${JSON.stringify(beside)}`);
  for (const { sent, ended } of [alone, beside]) {
    expect(sent).toBeLessThan(1_500);
    expect(ended).toBeLessThan(PROVIDER_ANSWER_MS);
  }
  world.end();
}, 600_000);

/** Payments of every player while a provider answers late, another loses calls and answers, and reports are lost. */
const LATE_PROVIDERS: readonly Deed[] = [
  { do: "provider", at: 0, calls: "late", reports: "prompt", gapMs: 0 },
  { do: "provider", at: 1, calls: "lossy", reports: "silent", gapMs: 0 },
  ...Array.from({ length: 24 }, (_, at): Deed => {
    const kind = at % 3 === 0 ? "withdrawal" : "deposit";
    return { do: "pay", who: at, kind, amount: 2_000 + at, by: at % PROVIDERS.length, gapMs: 40 };
  }),
  { do: "quiet", ms: 5_000, gapMs: 0 },
];

test("silence of a provider that is taken for no is found in one short story; without that bug the story holds", async () => {
  const room = { chance: 5, machines: "simulated", checkEvery: 5 } as const;
  const { world } = await runStory({ ...room, client: await stock.client() }, LATE_PROVIDERS);
  expect([...world.faults.keys()].filter((fault) => fault.startsWith("call to a provider"))).not.toEqual([]);
  const planted = runStory({ ...room, plant: "providerSilenceIsNo", client: await stock.client() }, LATE_PROVIDERS);
  await expect(planted).rejects.toThrow(/is (refused|failed) here, and .* at (acme|bolt)/);
}, 600_000);

test("on machines that keep the rules of SAS no coin is lost or doubled either", async () => {
  const figures: Figures = {};
  for (const seed of SAS_SEEDS) {
    const end = await checkStory(stock, { checkEvery: 5, machines: "sas" }, { seed, ...SAS_STORY, shrinkMs: 0 });
    if (end.is === "failed") expect.fail(failureText(end, SAS_STORY, "sas"));
    add(figures, end.figures);
  }
  console.log(
    `money over SAS in seeds ${SAS_SEEDS.join(" ")}: ${figures[TRANSFERS]} transfers, ${figures["faults"]} faults`,
  );
  expect(figures["cashIn done"]).toBeGreaterThan(0);
  expect(figures["cashOut done"]).toBeGreaterThan(0);
}, 600_000);

test.each(["cashIn", "cashOut"] as const)(
  "a machine loses the record of an open %s: what its meter moved is left to a person",
  async (direction) => {
    const room = { client: await stock.client(), chance: 1, machines: "sas", checkEvery: 1 } as const;
    const { rows, claims } = await runStory(room, [
      { do: "cashIn", who: 0, amount: 5_000, gapMs: 4_000 },
      { do: "recordLost", at: 0, inTransfer: true, gapMs: 0 },
      direction === "cashIn"
        ? { do: "cashIn", who: 0, amount: 700, gapMs: 9_000 }
        : { do: "cashOut", who: 0, amount: 700, gapMs: 9_000 },
    ]);
    expect(rows.filter(({ state }) => state === "refused")).toMatchObject([{ direction, amount: 0 }]);
    expect(claims).toBeGreaterThan(0);
  },
  120_000,
);

test.each([3, 4])(
  "a machine answers so late that its driver is opened again: the command that waited is never sent (chance %i)",
  async (chance) => {
    const everywhere = (deed: (at: number) => Deed): Deed[] => Array.from({ length: 12 }, (_, at) => deed(at));
    const deeds: Deed[] = [
      ...everywhere((who) => ({ do: "cashIn", who, amount: 3_870, gapMs: 5 })),
      { do: "quiet", ms: 4_000, gapMs: 0 },
      { do: "cable", cable: "slow", gapMs: 0 },
      ...everywhere((who) => ({ do: "cashOut", who, amount: null, gapMs: 5 })),
      { do: "quiet", ms: 100, gapMs: 0 },
      ...everywhere((at) => ({ do: "line", at, cut: true, gapMs: 0 })),
      { do: "quiet", ms: 2_500, gapMs: 0 },
      ...everywhere((at) => ({ do: "line", at, cut: false, gapMs: 0 })),
      { do: "cable", cable: "sound", gapMs: 0 },
      { do: "quiet", ms: 9_000, gapMs: 0 },
    ];
    const { rows } = await runStory({ client: await stock.client(), chance, machines: "sas", checkEvery: 1 }, deeds);
    expect(rows.filter(({ direction }) => direction === "cashOut").length).toBeGreaterThan(12);
  },
  120_000,
);

/** The bug that takes the fewest stories to find. */
const FOUND_SOON: Plant = "holdTwice";
/** Stories that a planted bug may survive at most. */
const STORIES_MAX = 12;
type Kinds = { readonly machines: MachineKind; readonly wallet: WalletKind };
const OURS: Kinds = { machines: "simulated", wallet: "own" };
/** Bugs that need other machines or another wallet. */
const KINDS: Readonly<Partial<Record<Plant, Kinds>>> = {
  hastyDriver: { ...OURS, machines: "sas" },
  silenceIsNo: { ...OURS, wallet: "operator" },
};
const FIRST: Readonly<Record<Plant, number>> = {
  holdTwice: 1,
  forgetfulAgent: 1,
  hopefulCashOut: 1,
  hastyDriver: 1,
  silenceIsNo: 1,
  depositTwice: 1,
  forgottenChargeBack: 1,
  providerSilenceIsNo: 1,
};

test.each(PLANTS.filter((plant) => WHOLE_RUN || plant === FOUND_SOON))(
  "the planted bug %s is found",
  async (plant) => {
    for (let seed = FIRST[plant]; seed < FIRST[plant] + STORIES_MAX; seed += 1) {
      const end = await checkStory(
        stock,
        { checkEvery: 2, plant, ...(KINDS[plant] ?? OURS) },
        { seed, deedsMax: 400, faults: 8, shrinkMs: 0 },
      );
      if (end.is === "failed") {
        expect(end.sentence).toMatch(
          /shows|moved|is open|instead of|the ledger|after \d+ s of quiet|the history has|a difference is noted|in the operator's wallet|staff was called/,
        );
        return;
      }
    }
    expect.fail(`${STORIES_MAX} stories did not find it`);
  },
  600_000,
);
