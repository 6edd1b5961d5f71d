import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import { AGENT_CLOCK_OFF_MS_MAX } from "@longarm/contract/agent-link";
import { HandshakeRefused } from "@longarm/link/ws-socket";
import type { Config } from "../config/config.ts";
import { dialPlatform } from "../link/dial.ts";
import { isPublic } from "../media/transport/remote-candidates.ts";
import type { Clock } from "../ports/clock.ts";
import type { Finding } from "./finding.ts";
import { bad, good, messageOf, note } from "./finding.ts";

const NETWORK = "network";
/** Ports of a range that are tried; a larger one is sampled from its start. */
const PORTS_MAX = 100;

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Whether ports for media are free, and which addresses browsers will receive. */
export async function checkNetwork(media: Config["media"], interfaces: Interfaces): Promise<Finding[]> {
  return [await checkPorts(media.portRange), ...checkAddresses(media, interfaces)];
}

async function checkPorts(range: readonly [number, number] | null): Promise<Finding> {
  if (range === null) {
    const free = (await udpFree(0)) && (await tcpFree(0));
    if (free) return good(NETWORK, "UDP and TCP ports for pictures can be had; the system chooses them.");
    return bad(NETWORK, "No UDP or TCP port can be opened.", "Let the agent's user open sockets");
  }
  const [first, last] = range;
  const ports = Array.from({ length: Math.min(PORTS_MAX, last - first + 1) }, (_, at) => first + at);
  const taken: number[] = [];
  for (const port of ports) if (!(await udpFree(port)) || !(await tcpFree(port))) taken.push(port);
  const said = `PORT_RANGE ${first}-${last}`;
  if (taken.length === ports.length)
    return bad(NETWORK, `No port of ${said} is free.`, "Choose another range, or end what uses it (ss -lunt shows it)");
  if (taken.length > 0)
    return note(
      NETWORK,
      `${taken.length} of ${ports.length} ports of ${said} are used already (a running agent uses some).`,
    );
  return good(NETWORK, `The ports of ${said} are free; the venue's firewall must let them in, UDP and TCP.`);
}

function checkAddresses({ extraAddresses, onlyExtraAddresses }: Config["media"], interfaces: Interfaces): Finding[] {
  const own = Object.values(interfaces).flatMap((list) =>
    (list ?? []).filter(({ internal, address }) => !internal && !isLinkLocal(address)),
  );
  const offered = [...extraAddresses, ...(onlyExtraAddresses ? [] : own.map(({ address }) => address))];
  if (offered.length === 0)
    return [
      bad(
        NETWORK,
        "Browsers would be given no address of this agent.",
        "Connect the network, or name a public address in EXTRA_HOSTS",
      ),
    ];
  const findings = [good(NETWORK, `Browsers are given ${[...new Set(offered)].join(", ")}.`)];
  if (!offered.some(isPublic))
    findings.push(
      note(
        NETWORK,
        "All of these are private: browsers elsewhere reach them only through a TURN server of the platform.",
        "Name the public address in EXTRA_HOSTS and open PORT_RANGE, or set TURN_URLS at the platform",
      ),
    );
  return findings;
}

/** Reachable only on the same network segment. */
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

const PLATFORM = "platform";
const ASK_MS = 8_000;

/** Whether the platform is there, knows this agent's key, and agrees about the time. Says no hello, so a running agent is not disturbed. */
export async function checkPlatform(url: string, key: string, clock: Clock): Promise<Finding[]> {
  const tried = await tryLink(url, key, clock);
  return tried.state === "good" ? [tried, await readClock(url, clock)] : [tried];
}

async function tryLink(url: string, key: string, clock: Clock): Promise<Finding> {
  try {
    const socket = await dialPlatform({ url, key, clock });
    socket.close(1000, "only a look");
    return good(PLATFORM, `${url} takes this agent's key.`);
  } catch (error) {
    if (!(error instanceof HandshakeRefused)) {
      return bad(
        PLATFORM,
        `${url} cannot be reached (${messageOf(error) || "no answer"}).`,
        "Check PLATFORM_URL, the network and the firewall for outgoing connections",
      );
    }
    const { httpStatus } = error;
    if (httpStatus === 401 || httpStatus === 403)
      return bad(
        PLATFORM,
        `The platform does not know this agent's key (HTTP ${httpStatus}).`,
        "Enrol the agent and put its key into AGENT_KEY",
      );
    if (httpStatus === 404)
      return bad(
        PLATFORM,
        `There is no agent link at ${url} (HTTP 404).`,
        "PLATFORM_URL ends in /agent; a proxy in front must pass WebSockets on",
      );
    return bad(
      PLATFORM,
      `${url} refuses the link (HTTP ${httpStatus}).`,
      "Try again in a minute; else look into the platform's log",
    );
  }
}

/** Every HTTP answer of the platform has its time, in whole seconds. */
async function readClock(url: string, clock: Clock): Promise<Finding> {
  const address = new URL(url);
  address.protocol = address.protocol === "wss:" ? "https:" : "http:";
  address.pathname = "/healthz";
  address.search = "";
  const sentAtMs = clock.now();
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(ASK_MS) });
    await answer.body?.cancel();
    const platformMs = Date.parse(answer.headers.get("date") ?? "");
    return Number.isNaN(platformMs)
      ? unknownClock()
      : clockFinding(platformMs - clock.now(), platformMs + 1_000 - sentAtMs);
  } catch {
    return unknownClock();
  }
}

const unknownClock = (): Finding => ({
  part: PLATFORM,
  state: "note",
  says: "The platform's clock could not be read.",
});

/** The platform is ahead of us by `least` to `most`, ms. */
export function clockFinding(least: number, most: number): Finding {
  const apart = least > 0 ? least : Math.max(0, -most);
  if (apart > AGENT_CLOCK_OFF_MS_MAX) {
    const seconds = (apart / 1_000).toFixed(0);
    return bad(
      PLATFORM,
      `The clocks of agent and platform are ${seconds} s or more apart; the platform refuses more than ${AGENT_CLOCK_OFF_MS_MAX / 1_000} s.`,
      "Let both computers take their time from the network (timedatectl set-ntp true)",
    );
  }
  return good(PLATFORM, "The clocks of agent and platform agree to within their second.");
}
