import type { Topics } from "../../../bus/index.ts";
import type { PlayDeps } from "../deps.ts";

/** A game socket of this node, as what happens to its machine reaches it. */
export interface RoomMember {
  readonly role: "player" | "spectator";
  readonly viewerId: string;
  readonly playerId: string;
  meters(message: Topics["machine.meters"]): void;
  machineEvent(message: Topics["machine.event"]): void;
  seatChanged(message: Topics["seat.changed"]): void;
  /** A game of the play session was booked. */
  played(message: Topics["session.played"]): void;
  agentLinked(message: Topics["agent.linked"]): void;
  transferDecided(message: Topics["transfer.decided"]): void;
  candidate(message: Topics["rtc.candidate"]): void;
  /** A call for an attendant was made, answered or closed. */
  callChanged(message: Topics["call.changed"]): void;
  /** Rules, a reality check or a limit of the player may have changed. */
  protectionChanged(message: Topics["protection.changed"]): void;
  /** How many spectators there are now. */
  spectators(count: number): void;
  /** Reads the seat again: it may be gone, or count. */
  refresh(): void;
}

/** What rooms read elsewhere. */
export type RoomSources = {
  /** How many watch the machine, on all nodes together. */
  countOf(machineId: string): Promise<number>;
  /** What the machine shows; undefined: it cannot be reached now. Never rejects. */
  metersOf(machineId: string): Promise<Topics["machine.meters"]["meters"] | undefined>;
  /** What became of the transfers that a page of this machine may still wait for. */
  decidedOf(machineId: string): Promise<readonly Topics["transfer.decided"][]>;
};

/** Who looks at which machine on this node; one subscription for each topic, whatever the number of sockets. */
export class Rooms {
  readonly #members = new Map<string, Set<RoomMember>>();
  readonly #stops: (() => void)[];
  readonly #sources: RoomSources;
  readonly #log: PlayDeps["log"];
  /** Counts on their way, numbered by machine. */
  readonly #looks = new Map<string, number>();

  constructor({ bus, log }: Pick<PlayDeps, "bus" | "log">, sources: RoomSources) {
    this.#sources = sources;
    this.#log = log;
    this.#stops = [
      bus.subscribe("watchers.changed", ({ machineId }) => this.#pushCount(machineId)),
      bus.onGap(() => {
        for (const machineId of this.#members.keys()) this.#catchUp(machineId);
      }),
      bus.subscribe("machine.meters", (message) => this.#each(message.machineId, (member) => member.meters(message))),
      bus.subscribe("machine.event", (message) =>
        this.#each(message.machineId, (member) => member.machineEvent(message)),
      ),
      bus.subscribe("seat.changed", (message) =>
        this.#each(message.machineId, (member) => member.seatChanged(message)),
      ),
      bus.subscribe("session.played", (message) => this.#each(message.machineId, (member) => member.played(message))),
      bus.subscribe("agent.linked", (message) =>
        this.#each(message.machineId, (member) => member.agentLinked(message)),
      ),
      bus.subscribe("transfer.decided", (message) =>
        this.#each(message.machineId, (member) => member.transferDecided(message)),
      ),
      bus.subscribe("call.changed", (message) =>
        this.#each(message.machineId, (member) => member.callChanged(message)),
      ),
      bus.subscribe("protection.changed", (message) => {
        const machineIds = message.machineId === undefined ? [...this.#members.keys()] : [message.machineId];
        for (const machineId of machineIds) this.#each(machineId, (member) => member.protectionChanged(message));
      }),
      bus.subscribe("rtc.candidate", (message) =>
        this.#each(message.machineId, (member) => {
          if (member.viewerId === message.viewerId) member.candidate(message);
        }),
      ),
    ];
  }

  join(machineId: string, member: RoomMember): void {
    const members = this.#members.get(machineId) ?? new Set();
    this.#members.set(machineId, members.add(member));
    this.#pushCount(machineId);
  }

  leave(machineId: string, member: RoomMember): void {
    const members = this.#members.get(machineId);
    if (!members?.delete(member)) return;
    if (members.size === 0) this.#members.delete(machineId);
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** What was missed: who sits, what the machine shows, what became of transfers, who watches. */
  #catchUp(machineId: string): void {
    this.#each(machineId, (member) => {
      member.refresh();
      member.callChanged({ machineId, playerId: member.playerId });
      member.protectionChanged({});
    });
    this.#pushCount(machineId);
    this.#sources.decidedOf(machineId).then(
      (decided) => {
        for (const message of decided) this.#each(machineId, (member) => member.transferDecided(message));
      },
      (error: unknown) => this.#log.warn({ err: error, machineId }, "decided transfers could not be read"),
    );
    void this.#sources.metersOf(machineId).then((meters) => {
      if (meters !== undefined) this.#each(machineId, (member) => member.meters({ machineId, meters }));
    });
  }

  /** Pushes how many watch the machine now, on all nodes; a later count overtakes an earlier one. */
  #pushCount(machineId: string): void {
    if (!this.#members.has(machineId)) return;
    const look = (this.#looks.get(machineId) ?? 0) + 1;
    this.#looks.set(machineId, look);
    this.#sources.countOf(machineId).then(
      (count) => {
        if (this.#looks.get(machineId) !== look) return;
        this.#looks.delete(machineId);
        this.#each(machineId, (member) => member.spectators(count));
      },
      (error: unknown) => this.#log.warn({ err: error, machineId }, "spectators could not be counted"),
    );
  }

  #each(machineId: string, tell: (member: RoomMember) => void): void {
    for (const member of [...(this.#members.get(machineId) ?? [])]) tell(member);
  }
}
