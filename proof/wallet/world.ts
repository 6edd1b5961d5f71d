import type { Database } from "@longarm/database/connection";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import { inProcessBus } from "@longarm/platform/bus/index";
import { systemClock } from "@longarm/platform/clock";
import { createLog } from "@longarm/platform/log";
import type { Ask, RemoteWallet } from "@longarm/platform/modules/remote-wallet/index";
import { createRemoteWallet, remoteBreaches } from "@longarm/platform/modules/remote-wallet/index";
import { systemRandom } from "@longarm/platform/random";
import { sql } from "kysely";
import type { WalletFault } from "../../rig/simulated-wallet/server.ts";
import { SimulatedWallet } from "../../rig/simulated-wallet/wallet.ts";

/** What every player has at the beginning, minor units. */
const BEGINS_WITH = 1_000_000;
/** Of a hundred calls so many go wrong, each way. */
const FAULTS: readonly (readonly [percent: number, fault: WalletFault])[] = [
  [3, "lost"],
  [3, "lostAnswer"],
  [2, "broken"],
  [2, "brokenAfter"],
  [1, "garbage"],
  [1, "slow"],
];
/** A process ends at a call: before it went out, or before its answer is read. */
const KILLS_PERCENT = 1;

/** A process of the platform: its movements end where it is killed. */
type Node = { readonly remote: RemoteWallet; dead: boolean };

class Killed extends Error {
  override readonly name = "Killed";
}

type Player = { readonly id: string; should: number; moves: number };

/** Players, platform processes on one database, and an operator's wallet with faults between them. Stakes and wins of games are drawn. */
export class WalletWorld {
  readonly #wallet = new SimulatedWallet();
  readonly #ledger: Ledger;
  readonly #players: Player[];
  readonly #nodes: Node[] = [];
  readonly #counts = new Map<string, number>();
  readonly #database: Database<unknown>;
  readonly #next: () => number;
  readonly #size: { readonly players: number; readonly nodes: number };
  #calm = false;

  constructor(
    database: Database<unknown>,
    next: () => number,
    size: { readonly players: number; readonly nodes: number },
  ) {
    this.#database = database;
    this.#next = next;
    this.#size = size;
    this.#ledger = openLedger(database.kysely);
    this.#players = Array.from({ length: size.players }, (_, index) => ({
      id: `p_wallet_${index}`,
      should: BEGINS_WITH,
      moves: 0,
    }));
  }

  async begin(): Promise<void> {
    for (const { id } of this.#players) {
      await sql`insert into player (id, username, username_key, password) values (${id}, ${id}, ${id}, 'none')`.execute(
        this.#database.kysely,
      );
      this.#wallet.setBalance(id, BEGINS_WITH);
    }
    for (let count = 0; count < this.#size.nodes; count += 1) this.#nodes.push(this.#start());
  }

  /** Everybody plays until the wallet was called so often, or the time is over. */
  async run(until: {
    readonly calls: number;
    readonly untilMs: number;
    readonly say: (line: string) => void;
  }): Promise<void> {
    const isOver = (): boolean => this.#count("calls") >= until.calls || performance.now() >= until.untilMs;
    const began = performance.now();
    const report = setInterval(() => {
      const seconds = Math.round((performance.now() - began) / 1_000);
      until.say(`${String(seconds).padStart(6)} s  ${this.#count("calls").toLocaleString("en-US").padStart(10)} calls`);
    }, 10_000);
    const looking = this.#nodes.map((_, index) => this.#lookAgain(index, isOver));
    await Promise.all([...this.#players.map((player) => this.#play(player, isOver)), ...looking]);
    clearInterval(report);
  }

  /** Nothing goes wrong any more: everything comes home. Answers what is not as it must be. */
  async settle(): Promise<string[]> {
    this.#calm = true;
    const [node = this.#start()] = this.#nodes;
    const deadline = performance.now() + SETTLE_MS;
    while (performance.now() < deadline && (await this.#open()) > 0) await node.remote.look();
    return await this.#problems();
  }

  figures(): string[] {
    return [...this.#counts].map(
      ([name, count]) => `  ${name.padEnd(40)} ${count.toLocaleString("en-US").padStart(12)}`,
    );
  }

  async #problems(): Promise<string[]> {
    const db = this.#database.kysely;
    const open = await this.#open();
    const wrong = this.#players.filter(({ id, should }) => this.#wallet.balanceOf(id) !== should);
    const breaches = (await remoteBreaches(() => sql<boolean>`true`).execute(db)).rows;
    return [
      ...(open > 0 ? [`${open} movements or amounts are still open`] : []),
      ...wrong.map(({ id, should }) => `${id} has ${this.#wallet.balanceOf(id)}, not ${should}`),
      ...breaches.map(({ subject, detail }) => `${subject}: ${detail}`),
      ...(await this.#ledger.verify()).map((breach) => JSON.stringify(breach)),
    ];
  }

  /** Movements that are open, and accounts of players that are not empty. */
  async #open(): Promise<number> {
    const { rows } = await sql<{ open: number }>`select
        (select count(*) from remote_move where state not in ('refused', 'booked', 'undone', 'done'))
        + (select count(*) from ledger.accounts where address like 'player:%' and balance_minor > 0) as open`.execute(
      this.#database.kysely,
    );
    return Number(rows[0]?.open ?? 0);
  }

  #start(): Node {
    const node: { remote?: RemoteWallet; dead: boolean } = { dead: false };
    node.remote = createRemoteWallet({
      ...{ db: this.#database, ledger: this.#ledger, random: systemRandom, clock: systemClock, log: LOG },
      bus: inProcessBus({ clock: systemClock, onError: () => {} }),
      askOperator: this.#askFrom(node),
      currency: () => "TRY",
      leftMs: LEFT_MS,
    });
    return node as Node;
  }

  /** A call as a process makes it, with what may go wrong on its way. */
  #askFrom(node: { dead: boolean }): Ask {
    const nothing = (why: string) => ({ is: "nothing", why }) as const;
    return async (call, body) => {
      this.#add("calls");
      const kill = !this.#calm && this.#draw() < KILLS_PERCENT;
      const fault = this.#calm ? undefined : this.#fault();
      if (kill && this.#draw() < 50) this.#kill(node, "killed before a call");
      // Answers come in another order than their calls.
      await this.#pause();
      if (fault) this.#add(`fault: ${fault}`);
      if (fault === "lost" || fault === "broken") return nothing(fault);
      const { status, body: answer } = this.#wallet.take(call, body);
      if (kill) this.#kill(node, "killed before an answer");
      await this.#pause();
      if (fault !== undefined) return nothing(fault);
      if (status !== 200) return nothing(`HTTP ${status}`);
      return { is: "said", answer } as Awaited<ReturnType<Ask>> as never;
    };
  }

  #kill(node: { dead: boolean }, how: string): never {
    node.dead = true;
    this.#add(how);
    throw new Killed();
  }

  /** A process that ended is started again. */
  #alive(index: number): Node {
    const known = this.#nodes[index];
    if (known !== undefined && !known.dead) return known;
    const fresh = this.#start();
    this.#nodes[index] = fresh;
    return fresh;
  }

  async #lookAgain(index: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#alive(index)
        .remote.look()
        .catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Cash-ins, games and cash-outs of one player, one after the other, on whatever node. */
  async #play(player: Player, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      player.moves += 1;
      const id = `${player.id}-${player.moves}`;
      const amount = 1 + Math.floor(this.#next() * 50_000);
      // A page repeats its command, now and then on two nodes at once.
      const tries = this.#draw() < 10 ? 2 : 1;
      const done = await Promise.all(Array.from({ length: tries }, () => this.#cashIn(player, id, amount)));
      const booked = done.filter(Boolean).length;
      if (booked > 1) throw new Error(`the cash-in ${id} was booked ${booked} times`);
      if (booked === 1) await this.#gameAndOut(player, amount);
      else if (this.#wallet.balanceOf(player.id) < amount) this.#addMoney(player);
    }
  }

  /** At the operator's own cashier. Players without money would fill a run with refusals. */
  #addMoney(player: Player): void {
    this.#wallet.setBalance(player.id, this.#wallet.balanceOf(player.id) + BEGINS_WITH);
    player.should += BEGINS_WITH;
  }

  /** True: the money is on the machine. */
  async #cashIn({ id: playerId }: Player, id: string, amount: number): Promise<boolean> {
    const node = this.#alive(Math.floor(this.#next() * this.#size.nodes));
    try {
      if ((await node.remote.bring({ id, playerId, machineId: machineOf(playerId), amount })) !== null) {
        this.#add("cash-ins refused");
        return false;
      }
      if (this.#draw() < KILLS_PERCENT) this.#kill(node, "killed between grant and booking");
      const isBooked = await this.#book(node, { playerId, id, amount });
      this.#add(isBooked ? "cash-ins booked" : "cash-ins too late");
      return isBooked;
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  }

  /** As the wallet of play does it: booking and setting aside are one transaction. */
  async #book(
    node: Node,
    { playerId, id, amount }: { playerId: string; id: string; amount: number },
  ): Promise<boolean> {
    const from = playerAccount(playerId);
    const to = machineAccount(machineOf(playerId));
    const isKilled = this.#draw() < KILLS_PERCENT;
    return await runTransaction(this.#database.kysely, async (trx) => {
      if (!(await node.remote.book(trx, id))) return false;
      if (isKilled) this.#kill(node, "killed within the booking");
      const moved = await this.#ledger
        .within(trx)
        .transfer({ id, kind: "cashIn", from, to, amountMinor: amount, about: {} });
      if (moved.is === "refused") throw new Error(`${id}: ${moved.problem.detail}`);
      return true;
    });
  }

  /** A game, and everything comes into the player's account; a look of some node sends it home. */
  async #gameAndOut(player: Player, amount: number): Promise<void> {
    const [machine, id] = [machineAccount(machineOf(player.id)), `${player.id}-${player.moves}`];
    const change = Math.floor((this.#next() - 0.5) * 2 * amount);
    if (change !== 0) {
      const [from, to] = change > 0 ? (["house", machine] as const) : ([machine, "house"] as const);
      await this.#ledger.transfer({
        id: `${id}-game`,
        kind: "game",
        from,
        to,
        amountMinor: Math.abs(change),
        about: {},
      });
    }
    player.should += change;
    const left = amount + change;
    if (left > 0)
      await this.#ledger.transfer({
        ...{ id: `${id}-out`, kind: "cashOut", from: machine, to: playerAccount(player.id), amountMinor: left },
        about: {},
      });
  }

  #fault(): WalletFault | undefined {
    let drawn = this.#draw();
    for (const [percent, fault] of FAULTS) {
      if (drawn < percent) return fault;
      drawn -= percent;
    }
    return undefined;
  }

  /** From 0 to below 100. */
  #draw(): number {
    return this.#next() * 100;
  }
  async #pause(): Promise<void> {
    if (this.#draw() < 30) await new Promise((resolve) => setTimeout(resolve, this.#next() * 5));
  }
  #add(name: string): void {
    this.#counts.set(name, this.#count(name) + 1);
  }
  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

const LOG = createLog({ logLevel: "silent", logFormat: "json" }, { write: () => {} });
const LOOK_MS = 50;
/** Shorter than in a venue, so that what was left is undone while its process may still book it. */
const LEFT_MS = 1_000;
/** A repeat may wait a minute. */
const SETTLE_MS = 180_000;

const machineOf = (playerId: string): string => `m-${playerId}`;
