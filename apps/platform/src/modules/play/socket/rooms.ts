import type { Topics } from "../../../bus/index.ts";
import type { PlayPartDeps } from "../../../play-base/play-deps.ts";

/** A game socket of this node, as what happens to its machine reaches it. */
export interface RoomMember {
  readonly role: "player" | "spectator";
  readonly viewerId: string;
  readonly playerId: string;
  meters(message: Topics["machine.meters"]): void;
  machineEvent(message: Topics["machine.event"]): void;
  seatChanged(message: Topics["seat.changed"]): void;
  agentLinked(message: Topics["agent.linked"]): void;
  transferDecided(message: Topics["transfer.decided"]): void;
  candidate(message: Topics["rtc.candidate"]): void;
  /** How many spectators there are now. */
  spectators(count: number): void;
}

/** Who looks at which machine on this node; one subscription for each topic, whatever the number of sockets. */
export class Rooms {
  readonly #members = new Map<string, Set<RoomMember>>();
  readonly #stops: (() => void)[];

  constructor({ bus }: Pick<PlayPartDeps, "bus">) {
    this.#stops = [
      bus.subscribe("machine.meters", (message) => this.#each(message.machineId, (member) => member.meters(message))),
      bus.subscribe("machine.event", (message) =>
        this.#each(message.machineId, (member) => member.machineEvent(message)),
      ),
      bus.subscribe("seat.changed", (message) =>
        this.#each(message.machineId, (member) => member.seatChanged(message)),
      ),
      bus.subscribe("agent.linked", (message) =>
        this.#each(message.machineId, (member) => member.agentLinked(message)),
      ),
      bus.subscribe("transfer.decided", (message) =>
        this.#each(message.machineId, (member) => member.transferDecided(message)),
      ),
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
    if (member.role === "spectator") this.#tellCount(machineId);
    else member.spectators(this.spectators(machineId));
  }

  leave(machineId: string, member: RoomMember): void {
    const members = this.#members.get(machineId);
    if (!members?.delete(member)) return;
    if (members.size === 0) this.#members.delete(machineId);
    if (member.role === "spectator") this.#tellCount(machineId);
  }

  spectators(machineId: string): number {
    return [...(this.#members.get(machineId) ?? [])].filter(({ role }) => role === "spectator").length;
  }

  /** How many machines this account watches now. */
  watchedBy(playerId: string): number {
    const members = [...this.#members.values()].flatMap((room) => [...room]);
    return members.filter((member) => member.role === "spectator" && member.playerId === playerId).length;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #tellCount(machineId: string): void {
    const count = this.spectators(machineId);
    this.#each(machineId, (member) => member.spectators(count));
  }

  #each(machineId: string, tell: (member: RoomMember) => void): void {
    for (const member of [...(this.#members.get(machineId) ?? [])]) tell(member);
  }
}
