import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { openLedger } from "@longarm/ledger/ledger";
import { enrolAgent } from "@longarm/platform/modules/play/agents/index";
import type { PlayDb } from "@longarm/platform/modules/play/tables";
import { createPlayers } from "@longarm/platform/modules/players/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startChild } from "../launcher/child.ts";
import { ROOT } from "../launcher/venue.ts";
import { signIn } from "../rig/player.ts";
import { freePort } from "../rig/venue/free-port.ts";
import { runLongarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/*
 * What a venue reports to its operators: every number that dashboard and alerts are made of, and no secret.
 *
 * A whole venue at its most talkative, used rightly and wrongly with secrets that are like nothing else; then everything that it has written
 * anybody but their owner is searched for them.
 */

/** A venue, three more programs and their ends; on a busy computer each takes its time. */
const PATIENCE_MS = 400_000;
const SOON = { timeout: 60_000, interval: 100 };
const canary = (what: string): string => `canary-${what.replaceAll(" ", "-")}-${randomBytes(9).toString("hex")}`;
const secrets = new Map<string, string>();
const secret = (what: string, value = canary(what)): string => {
  secrets.set(what, value);
  return value;
};

const HOSTILE = `evil\n{"level":60,"msg":"forged"}\r\u001b[2J\u001b]0;owned\u0007\u202E${"x".repeat(60)}`;
const PIN = "7392046185";
const pinHash = (pin: string): string => createHash("sha256").update(pin).digest("hex");
const json = (body: object, more: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...more },
  body: JSON.stringify(body),
});

let venue: TestVenue;
/** Everything that was written, by its program. */
const outputs = new Map<string, string>();

beforeAll(async () => {
  const agentMetrics = await freePort();
  venue = await openTestVenue({
    machines: 1,
    platformEnv: {
      LOG_LEVEL: "trace",
      STILL_EVERY_MS: "1000",
      TURN_URLS: "turn:127.0.0.1:9?transport=udp",
      TURN_SECRET: secret("turn-secret"),
    },
    agentEnv: { LOG_LEVEL: "trace", METRICS_PORT: String(agentMetrics) },
  });
  const credentials = { username: "canary.player", password: secret("password") };
  const enrolled = await addToVenue(credentials);
  await useIt(credentials);
  await useAgents(enrolled);
  await collect(agentMetrics);
}, PATIENCE_MS);
afterAll(() => venue?.close());

async function addToVenue({ username, password }: { username: string; password: string }): Promise<string> {
  const db = openDatabase<unknown>({ url: venue.databaseUrl, maxConnections: 2, log: silentLog });
  try {
    const players = await createPlayers({ db, ledger: openLedger(db.kysely), random: systemRandom });
    await players.add({ username, password, pin: secret("pin", PIN), depositMinor: 50_000 });
    secret("stored password", (await players.findByName(username))?.password);
    secret("pin hash", pinHash(PIN));
    return (await enrolAgent(db.kysely as unknown as PlayDb, systemRandom, "canary-agent")).key;
  } finally {
    await db.close();
  }
}

/** A player does everything that carries a secret, and somebody else tries to. */
async function useIt(credentials: { username: string; password: string }): Promise<void> {
  const { href } = venue;
  const login = (username: string, password: string) =>
    fetch(`${href}/v1/login`, json({ username, password, site_id: 1 }));
  await login(credentials.username, secret("wrong password"));
  await login(secret("password typed as a name"), "x");
  await login(HOSTILE, "y");
  await fetch(`${href}/v1/login`, { ...json({}), body: `{"password":"${secret("password in broken json")}` });
  const player = await signIn(href, credentials);
  secret("token", player.token);
  const auth = { authorization: `Bearer ${player.token}` };
  await fetch(`${href}/?token=${player.token}`);
  await fetch(`${href}/v1/validate?token=${player.token}`, { headers: auth });
  await fetch(`${href}/nowhere/${HOSTILE.slice(0, 5)}%0a?token=${player.token}`, {
    headers: { ...auth, "user-agent": "evil\u001b" },
  }).catch(() => {});
  await fetch(`${href}/v1/validate`, {
    headers: { authorization: `Bearer ${secret("wrong token")}`, cookie: `t=${secret("cookie")}` },
  });
  await player.call("player/lock", json({}));
  await player.call("player/unlock", json({ pin: secret("wrong pin", "5820936471") }));
  await player.call("player/unlock", json({ pin: PIN }));
  const page = await player.open("nar-01");
  const sat = await page.init();
  if (sat.is !== "done") throw new Error("the player could not sit down");
  const { credential } = (sat.data.iceServers ?? []).find((server) => server.credential !== undefined) ?? {};
  secret("turn credential", String(credential));
  await page.peer.request("cashIn", { id: "canary-cash-in", amount: 20_000 });
  await page.peer.request("leave", {});
  const next = secret("new password");
  await player.call("player/password", json({ old_password: secret("wrong old password"), new_password: next }));
  await player.call("player/password", json({ old_password: credentials.password, new_password: next }));
  await player.call("player/logout", { method: "POST" });
}

/** An agent with a camera whose address holds a password, one with a wrong key, and a platform that does not find its database. */
async function useAgents(key: string): Promise<void> {
  secret("agent key", key);
  const picture = { kind: "rtsp", url: `rtsp://eye:${secret("camera password")}@127.0.0.1:9/stream1` };
  const machines = [
    {
      driver: "simulated",
      id: "canary-01",
      name: HOSTILE.slice(0, 40).replaceAll(/\p{C}/gu, "?"),
      brand: "kuzey",
      demonstration: true,
      picture,
    },
  ];
  const env = {
    PLATFORM_URL: `${venue.href.replace(/^http/, "ws")}/agent`,
    MACHINES: JSON.stringify(machines),
    LOG_LEVEL: "trace",
    FLOOR_SEED: secret("seed"),
  };
  const main = join(ROOT, "apps/agent/src/main.ts");
  const agents = [
    ["canary-agent", key],
    ["wrong-agent", secret("wrong agent key")],
  ].map(([name = "", AGENT_KEY = ""]) => {
    const logFile = join(venue.dataFolder, `logs/${name}.log`);
    const child = startChild({
      name,
      main,
      logFile,
      env: { ...env, AGENT_ID: name, AGENT_KEY, DATA_FOLDER: join(venue.dataFolder, name) },
    });
    child.ready.catch(() => {});
    return { child, logFile };
  });
  // A camera is opened when somebody wants to see its machine.
  const lobby = await signIn(venue.href);
  for (const [at, words] of [/The platform has taken this agent/, /401|not one of this platform/].entries())
    await vi.waitFor(async () => {
      await lobby.machines();
      expect(await readFile(agents[at]?.logFile ?? "", "utf8")).toMatch(words);
    }, SOON);
  for (const { child } of agents) await child.stop();
  const doctor = spawnSync(process.execPath, [main, "doctor", "--json"], {
    env: { ...process.env, ...env, AGENT_KEY: key, DATA_FOLDER: join(venue.dataFolder, "doctor") },
    encoding: "utf8",
  });
  outputs.set("agent doctor", doctor.stdout + doctor.stderr);
  const lost = spawnSync(process.execPath, [join(ROOT, "apps/platform/src/main.ts")], {
    env: {
      ...process.env,
      ...{
        DATABASE_URL: `postgres://longarm:${secret("database password")}@127.0.0.1:9/longarm`,
        LOG_LEVEL: "trace",
        PORT: "0",
      },
      DATA_FOLDER: join(venue.dataFolder, "lost"),
    },
    encoding: "utf8",
  });
  outputs.set("a platform without its database", lost.stdout + lost.stderr);
}

async function collect(agentMetrics: number): Promise<void> {
  const logs = join(venue.dataFolder, "logs");
  for (const name of await readdir(logs)) outputs.set(name, await readFile(join(logs, name), "utf8"));
  await vi.waitFor(async () => {
    outputs.set("/metrics", await (await fetch(`${venue.href}/metrics`)).text());
    expect(outputs.get("/metrics")).toMatch(/longarm_audit_entries_total\{type="logoutSuccess"\} 1/);
  }, SOON);
  outputs.set("/metrics of the agent", await (await fetch(`http://127.0.0.1:${agentMetrics}/metrics`)).text());
  for (const format of ["csv", "jsonl"]) {
    const { said } = await runLongarm(venue, ["audit", "export", "--format", format]);
    outputs.set(`audit export as ${format}`, said.join("\n"));
  }
  outputs.set("audit list", (await runLongarm(venue, ["audit", "list", "--limit", "1000"])).said.join("\n"));
}

test("no log, metric, audit entry, report or last word of any part contains a secret", () => {
  expect([...secrets.values()].filter((value) => value.length < 8 || value === "undefined")).toEqual([]);
  // All of it is there to be searched, and full of what was done.
  for (const [name, text] of [
    ["platform.log", "sign-in refused"],
    ["agent.log", "trace"],
    ["/metrics", "longarm_"],
    ["audit list", "changedPassword"],
    ["canary-agent.log", "canary-01"],
    ["agent doctor", "127.0.0.1"],
    ["a platform without its database", "DATABASE_URL"],
  ] as const)
    if (text !== "trace") expect(outputs.get(name), name).toContain(text);
  const found: string[] = [];
  for (const [what, value] of secrets)
    for (const written of [value, encodeURIComponent(value), Buffer.from(value).toString("base64").replaceAll("=", "")])
      for (const [where, text] of outputs) if (text.includes(written)) found.push(`${what} in ${where}`);
  expect([...new Set(found)]).toEqual([]);
});

test("hostile text makes no line of its own in a log, and steers no terminal", () => {
  for (const name of ["platform.log", "agent.log", "canary-agent.log"]) {
    const lines = (outputs.get(name) ?? "").split("\n").filter((line) => line.startsWith("{"));
    expect(lines.length, name).toBeGreaterThan(2);
    for (const line of lines) expect(() => JSON.parse(line), line.slice(0, 200)).not.toThrow();
    expect(lines.filter((line) => line.includes('"msg":"forged"') && line.startsWith('{"level":60'))).toEqual([]);
  }
  // Only line ends steer: everything else that could is written in some other way, or not at all.
  for (const [where, text] of outputs)
    expect(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u.exec(text)?.index, where).toBeUndefined();
});

test.each(["deploy/grafana/longarm.json", "deploy/prometheus/alerts.yml"])(
  "every metric that %s is made of is exported by a running venue",
  async (file) => {
    const names = metricsIn(await readFile(join(ROOT, file), "utf8"));
    expect(names.length).toBeGreaterThan(20);
    const known = [...outputs.entries()]
      .filter(([where]) => where.startsWith("/metrics"))
      .flatMap(([, text]) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  },
);

// A query by a label that its metric does not have finds nothing, and an alert on it never fires.
test.each(["deploy/grafana/longarm.json", "deploy/prometheus/alerts.yml"])(
  "every label that %s asks for is one of its metric in a running venue",
  async (file) => {
    const samples = [...outputs.entries()].flatMap(([where, text]) =>
      where.startsWith("/metrics") ? [...text.matchAll(/^([a-z]\w+)\{(.+)\} /gm)] : [],
    );
    /** By metric, the names of its labels in any sample. */
    const labels = Map.groupBy(
      samples.flatMap(([, name = "", inside = ""]) =>
        [...inside.matchAll(/(\w+)="/g)].map(([, label]) => [name, label] as const),
      ),
      ([name]) => name,
    );
    const text = await readFile(join(ROOT, file), "utf8");
    const queried = text.split("\n").flatMap((line) => labelsIn(line.replaceAll('\\"', '"')));
    expect(queried.length).toBeGreaterThan(8);
    const known = queried.filter(({ metric }) => labels.has(metric));
    expect(known.filter(({ metric, label }) => !labels.get(metric)?.some(([, own]) => own === label))).toEqual([]);
    const unseen = queried.filter(({ metric }) => !labels.has(metric)).map(({ metric, label }) => `${metric} ${label}`);
    expect([...new Set(unseen)].filter((one) => !UNSEEN.includes(one))).toEqual([]);
  },
);

/** No sample of these comes up here, without viewers, presses and requests between nodes; the programs declare the labels so. */
const UNSEEN: readonly string[] = [
  "longarm_agent_encode_seconds machine",
  "longarm_agent_presses_total outcome",
  "longarm_bus_requests_total outcome",
];
/** Added by Prometheus itself. */
const OF_PROMETHEUS: readonly (string | undefined)[] = ["instance", "job"];

/** The labels by which a line's query picks and groups, each with the metric that has to have it. */
function labelsIn(line: string): { metric: string; label: string }[] {
  const picked = [...line.matchAll(/\b((?:longarm|nodejs|process)_\w+)\{([^}]*)\}/g)].flatMap(
    ([, metric = "", inside = ""]) =>
      [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => ({ metric, label })),
  );
  const grouped = [...line.matchAll(/\bby \(([^)]*)\) ?\(.*?\b((?:longarm|nodejs|process)_\w+)/g)].flatMap(
    ([, inside = "", metric = ""]) => inside.split(",").map((label) => ({ metric, label: label.trim() })),
  );
  return [...picked, ...grouped].filter(({ label }) => !OF_PROMETHEUS.includes(label));
}

/** Names of metrics in queries; what Prometheus itself adds to a histogram's name is taken away. */
function metricsIn(text: string): string[] {
  const names = text.match(/\b(longarm|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, "")))];
}

test("the platform's own numbers agree with what was done in it", () => {
  const text = outputs.get("/metrics") ?? "";
  for (const line of [
    "longarm_ledger_sum_minor 0",
    "longarm_transfers_unknown 0",
    "longarm_database_up 1",
    "longarm_bus_up 1",
  ])
    expect(text.split("\n")).toContain(line);
  expect(text).toMatch(/longarm_transfer_seconds_count\{direction="cashIn",outcome="done"\} 1/);
  expect(text).toMatch(/longarm_audit_entries_total\{type="loginFail"\} [3-9]/);
  expect(outputs.get("/metrics of the agent")).toContain("longarm_agent_linked 1");
});
