import { gameSocket } from "@longarm/contract/game-socket";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { systemTimers } from "@longarm/link/socket";
import { dialSocket } from "@longarm/link/ws-socket";

export type PageOptions = { readonly url: string; readonly token: string; readonly machineId: string };

/** A page's game socket in a test, with everything it was told. */
export async function openPage({ url, token, machineId }: PageOptions) {
  const told: { method: string; data: unknown }[] = [];
  const note = (method: string) => (data: unknown) => void told.push({ method, data });
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  const socket = await dialSocket({
    url: `${url}/game?machine=${machineId}&token=${token}`,
    frameBytesMax: 65_536,
    handshakeMs: 10_000,
  });
  const peer: Peer<typeof gameSocket, "client"> = createPeer({
    contract: gameSocket,
    end: "client",
    socket,
    timers: systemTimers,
    handlers: {},
    listeners: {
      meters: note("meters"),
      countdown: note("countdown"),
      ended: note("ended"),
      candidate: note("candidate"),
      transfer: note("transfer"),
      agent: note("agent"),
      spectators: note("spectators"),
      event: note("event"),
      call: note("call"),
      rules: note("rules"),
      check: note("check"),
      played: note("played"),
      turn: note("turn"),
    },
    log: () => {},
    onClose: (code, reason) => closed.resolve({ code, reason }),
  });
  return {
    peer,
    told,
    closed: closed.promise,
    init: (more: { offer?: string; role?: "player" | "spectator" } = {}) =>
      peer.request("init", { machineID: machineId, ...more }),
    ofMethod: (method: string) => told.filter((one) => one.method === method).map(({ data }) => data),
    drop: () => socket.close(1001, "gone"),
  };
}
export type Page = Awaited<ReturnType<typeof openPage>>;
