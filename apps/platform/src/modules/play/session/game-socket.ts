import type { FinalReason } from "@longarm/contract/envelope";
import { CLOSE } from "@longarm/contract/envelope";
import type { Countdown } from "@longarm/contract/game-socket";
import { gameSocket } from "@longarm/contract/game-socket";
import { OwnId } from "@longarm/contract/ids";
import type { CountdownCode } from "@longarm/contract/problems";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket } from "@longarm/link/socket";
import * as z from "zod/mini";
import type { Topics } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import { newId } from "../../../random.ts";
import type { Connection, GameParts, GamePeer, Owner } from "./connection.ts";
import { gameHandlers } from "./game-handlers.ts";
import { holderGone, viewSeat } from "./holder.ts";
import { CandidateCount } from "./offer-limit.ts";
import { CheckWatch } from "./reality-check.ts";
import type { Seated } from "./sit.ts";

/** One game socket: what it is to its machine, from `init` to its end. */
export class GameConnection implements Connection {
  readonly socketId: string;
  readonly viewerId: string;
  readonly playerId: string;
  readonly isLocked: Owner["isLocked"];
  readonly act: Owner["act"];
  readonly machineId: string;
  readonly peer: GamePeer;
  role: "player" | "spectator" = "player";
  /** The seat it has; a spectator has none. */
  seated: Seated | null = null;
  watched: string | null = null;
  crowd = false;
  joining = false;
  /** True once `init` was answered well. */
  joined = false;
  /** `leave` closes the socket itself, after its answer. */
  leaving = false;
  closed = false;
  readonly protection: CheckWatch;
  readonly #parts: GameParts;
  readonly #countdown: CountdownPush;
  /** How often this page was notified whether its machine can be reached. */
  #agentNotices = 0;
  readonly #candidates = new CandidateCount();
  /** An offer went to the agent: it may keep a connection for this viewer. */
  #offered = false;

  constructor(parts: GameParts, socket: FrameSocket, { playerId, isLocked, act }: Owner, machineId: string) {
    this.#parts = parts;
    this.playerId = playerId;
    this.isLocked = isLocked;
    this.act = act;
    this.machineId = machineId;
    this.socketId = newId(parts.deps.random, "gs");
    this.viewerId = newId(parts.deps.random, "v");
    const log = parts.deps.log.child({ machineId, playerId, socketId: this.socketId });
    this.#countdown = new CountdownPush(parts.deps.clock, (countdown) => this.peer.notify("countdown", countdown));
    this.protection = new CheckWatch(parts, this, (run) => this.#follow(run));
    this.peer = createPeer({
      contract: gameSocket,
      end: "server",
      socket,
      timers: parts.deps.clock,
      openMax: 16,
      handlers: gameHandlers(parts, this),
      listeners: {
        candidate: (candidate) => {
          if (this.joined && this.#mayPassOn())
            void parts.agents.candidate({ ...candidate, machineId, viewerId: this.viewerId });
        },
        // Of a spectator, or before the seat, it says nothing about a player.
        delay: (report) => {
          if (this.joined && this.seated !== null) parts.viewing.reported(this.seated, report);
        },
      },
      log: (sentence, error) => log.info({ err: error }, sentence),
      onClose: () => this.#onClose(),
    });
  }

  join(): void {
    if (this.closed) return;
    this.joined = true;
    this.#parts.rooms.join(this.machineId, this);
    this.refresh();
  }

  offers(): void {
    this.#offered = true;
    this.#candidates.begin();
  }

  /** The rate limit of the socket is enough for a player. */
  #mayPassOn(): boolean {
    return this.role === "player" || this.#candidates.take();
  }

  close(reason: FinalReason): void {
    this.peer.close(CLOSE.final, reason);
  }

  meters({ meters }: Topics["machine.meters"]): void {
    this.peer.notify("meters", meters);
  }

  seatChanged({ epoch, closing, ended, why }: Topics["seat.changed"]): void {
    if (this.seated !== null && epoch > this.seated.epoch) {
      this.close(closing ?? "taken over");
      return;
    }
    this.protection.seatMoved();
    // Only the player learns why a play session ends.
    if (this.seated !== null && ended !== undefined)
      this.peer.notify("ended", { code: ended, ...(why !== undefined && { why }) });
    this.refresh();
  }

  machineEvent({ playSessionId, kind, amount, name }: Topics["machine.event"]): void {
    if (playSessionId !== (this.seated?.playSessionId ?? this.watched)) return;
    this.peer.notify("event", {
      kind,
      ...(amount !== undefined && { amount }),
      ...(name !== undefined && { name }),
    });
  }

  played({ playSessionId, games, wagered, won }: Topics["session.played"]): void {
    if (this.joined && this.seated?.playSessionId === playSessionId)
      this.peer.notify("played", { games, wagered, won });
  }

  pushAway(): void {
    const notices = this.#agentNotices;
    this.#follow(async () => {
      const { away } = await viewSeat(this.#parts, this.machineId);
      // A newer notification is true now.
      if (away && !this.closed && notices === this.#agentNotices) this.peer.notify("agent", { connected: false });
    });
  }

  agentLinked({ connected }: Topics["agent.linked"]): void {
    this.#agentNotices += 1;
    this.peer.notify("agent", { connected });
  }

  transferDecided({ playerId, id, outcome, amount }: Topics["transfer.decided"]): void {
    if (this.seated !== null && playerId === this.playerId) this.peer.notify("transfer", { id, outcome, amount });
  }

  callChanged({ playerId }: Topics["call.changed"]): void {
    if (this.seated === null || playerId !== this.playerId) return;
    this.#follow(async () => {
      const call = await this.#parts.calls.now(this.machineId, this.playerId);
      if (call !== null && !this.closed) this.peer.notify("call", call);
    });
  }

  protectionChanged({ playerId }: Topics["protection.changed"]): void {
    if (this.seated !== null && (playerId === undefined || playerId === this.playerId)) this.protection.look();
  }

  candidate({ candidate, sdpMid }: Topics["rtc.candidate"]): void {
    this.peer.notify("candidate", { candidate, ...(sdpMid !== undefined && { sdpMid }) });
  }

  spectators(count: number): void {
    this.peer.notify("spectators", { count });
  }

  refresh(): void {
    this.#follow(async () => {
      const view = await viewSeat(this.#parts, this.machineId);
      if (this.closed) return;
      if (this.seated === null) {
        if (this.watched !== null && view.playSessionId !== this.watched) this.close("ended");
      } else if (view.playSessionId !== this.seated.playSessionId) {
        this.#countdown.show(null);
        if (!this.leaving) this.close("ended");
      } else if (view.epoch > this.seated.epoch) this.close("taken over");
      else this.#countdown.show(view.count);
    });
  }

  #onClose(): void {
    this.closed = true;
    this.#countdown.close();
    this.protection.close();
    this.#parts.rooms.leave(this.machineId, this);
    this.#parts.holders.delete(this.socketId);
    if (this.#offered)
      void this.#parts.agents.request("rtc.close", { machineId: this.machineId, viewerId: this.viewerId });
    // Also when `init` is still on its way: it looks at `closed` and gives the seat back itself.
    if (this.watched !== null) this.#follow(() => this.#parts.watchers.leave(this));
    if (this.seated === null) return;
    this.#follow(() => holderGone(this.#parts, this.machineId, this.socketId));
    this.#follow(() => this.#parts.viewing.writeSums(this.machineId));
  }

  #follow(run: () => Promise<void>): void {
    const { pending, deps } = this.#parts;
    const running = run()
      .catch((error: unknown) =>
        deps.log.error({ err: error, machineId: this.machineId }, "a game socket could not follow its seat"),
      )
      .finally(() => pending.delete(running));
    pending.add(running);
  }
}

/** Opens the game socket of a signed-in player: `/game?machine={id}`. */
export function openGameSocket(parts: GameParts, socket: FrameSocket, owner: Owner, machine: string | null): void {
  const machineId = z.safeParse(OwnId, machine);
  if (machineId.success) new GameConnection(parts, socket, owner, machineId.data);
  else socket.close(CLOSE.malformed, "name the machine in the address: /game?machine={id}");
}

const SECOND_MS = 1_000;

/** Pushes the seconds left to the holder, once a second, for as long as a counting state lasts. */
export class CountdownPush {
  readonly #clock: Clock;
  readonly #tell: (countdown: Countdown) => void;
  #running: { readonly code: CountdownCode; readonly endsAtMs: number } | undefined;
  #stop: Stop = () => {};
  #lastCount: number | undefined;

  constructor(clock: Clock, tell: (countdown: Countdown) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Shows this countdown from now on; null: none, and one that runs is pushed as 0. */
  show(next: { readonly code: CountdownCode; readonly leftMs: number } | null): void {
    const before = this.#running;
    this.close();
    if (before?.code !== next?.code) {
      this.#lastCount = undefined;
      if (before) this.#tell({ code: before.code, count: 0 });
    }
    if (next === null) return;
    this.#running = { code: next.code, endsAtMs: this.#clock.now() + next.leftMs };
    this.#tick();
  }

  close(): void {
    this.#stop();
    this.#running = undefined;
  }

  #tick(): void {
    if (!this.#running) return;
    const { code, endsAtMs } = this.#running;
    const leftMs = Math.max(0, endsAtMs - this.#clock.now());
    const count = Math.ceil(leftMs / SECOND_MS);
    // A seat that is read again within a second pushes nothing new.
    if (count !== this.#lastCount) this.#tell({ code, count });
    this.#lastCount = count;
    if (leftMs === 0) this.#running = undefined;
    else this.#stop = this.#clock.after(leftMs % SECOND_MS || SECOND_MS, () => this.#tick());
  }
}
