import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import type { Config } from "../config/config.ts";
import { isPublic } from "../media/transport/remote-candidates.ts";
import type { Finding } from "./finding.ts";
import { bad, good, note } from "./finding.ts";

const PART = "network";
/** Ports of a range that are tried; a larger one is sampled from its start. */
const PORTS_MAX = 100;

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Whether ports for pictures can be had, and which addresses browsers will be given. */
export async function checkNetwork(media: Config["media"], interfaces: Interfaces): Promise<Finding[]> {
  return [await checkPorts(media.portRange), ...checkAddresses(media, interfaces)];
}

async function checkPorts(range: readonly [number, number] | null): Promise<Finding> {
  if (range === null) {
    const free = (await udpFree(0)) && (await tcpFree(0));
    if (free) return good(PART, "UDP and TCP ports for pictures can be had; the system chooses them.");
    return bad(PART, "No UDP or TCP port can be opened.", "Let the agent's user open sockets");
  }
  const [first, last] = range;
  const ports = Array.from({ length: Math.min(PORTS_MAX, last - first + 1) }, (_, at) => first + at);
  const taken: number[] = [];
  for (const port of ports) if (!(await udpFree(port)) || !(await tcpFree(port))) taken.push(port);
  const said = `PORT_RANGE ${first}-${last}`;
  if (taken.length === ports.length)
    return bad(PART, `No port of ${said} is free.`, "Choose another range, or end what uses it (ss -lunt shows it)");
  if (taken.length > 0)
    return note(
      PART,
      `${taken.length} of ${ports.length} ports of ${said} are used already (a running agent uses some).`,
    );
  return good(PART, `The ports of ${said} are free; the venue's firewall must let them in, UDP and TCP.`);
}

function checkAddresses({ extraAddresses, onlyExtraAddresses }: Config["media"], interfaces: Interfaces): Finding[] {
  const own = Object.values(interfaces).flatMap((list) =>
    (list ?? []).filter(({ internal, address }) => !internal && !isLinkLocal(address)),
  );
  const offered = [...extraAddresses, ...(onlyExtraAddresses ? [] : own.map(({ address }) => address))];
  if (offered.length === 0)
    return [
      bad(
        PART,
        "Browsers would be given no address of this agent.",
        "Connect the network, or name a public address in EXTRA_HOSTS",
      ),
    ];
  const findings = [good(PART, `Browsers are given ${[...new Set(offered)].join(", ")}.`)];
  if (!offered.some(isPublic))
    findings.push(
      note(
        PART,
        "All of these are private: browsers elsewhere reach them only through a TURN server of the platform.",
        "Name the public address in EXTRA_HOSTS and open PORT_RANGE, or set TURN_URLS at the platform",
      ),
    );
  return findings;
}

/** Reaches nobody beyond the next cable. */
const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address);

function udpFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => {
      socket.close();
      resolve(false);
    });
    socket.bind(port, () => socket.close(() => resolve(true)));
  });
}

function tcpFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
