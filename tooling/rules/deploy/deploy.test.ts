import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { settingsOf } from "../docs/settings.ts";
import { copiedPaths, environmentNames, readContainerFile } from "./container-file.ts";

/* No container engine runs here, so what the files in deploy/ name is looked for: files, settings, ports, paths of health. */

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const lost = (paths: readonly string[]): string[] => paths.filter((path) => !existsSync(join(root, path)));

/** Of Node, of PostgreSQL, of the system: no settings of ours. */
const NOT_OURS = new Set(["NODE_COMPILE_CACHE", "NODE_ENV", "NODE_EXTRA_CA_CERTS", "PATH"]);
const settings = {
  platform: new Set(settingsOf(read("apps/platform/src/config/variables.ts"))),
  agent: new Set(settingsOf(read("apps/agent/src/config/config.ts"))),
};
const strangers = (program: keyof typeof settings, names: readonly string[]): string[] =>
  names.filter((name) => !settings[program].has(name) && !NOT_OURS.has(name));

describe.each(["platform", "agent"] as const)("the container file of the %s", (program) => {
  const instructions = readContainerFile(read(`deploy/container/${program}.Containerfile`));
  const all = (word: string): string[] => instructions.filter((one) => one.word === word).map(({ rest }) => rest);

  test("copies what is there, and what .dockerignore lets through", () => {
    const paths = copiedPaths(instructions);
    expect(paths.length).toBeGreaterThan(8);
    expect(lost(paths)).toEqual([]);
    const kept = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(paths.filter((path) => !kept.some((start) => path === start || path.startsWith(`${start}/`)))).toEqual([]);
    // npm ci wants every workspace that the lock file names.
    const workspaces = ["apps", "packages"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
    );
    expect(workspaces.filter((path) => existsSync(join(root, path)) && !paths.includes(path))).toEqual([]);
  });

  test("starts and asks what is there, as an ordinary user, with settings that exist", () => {
    expect(lost(JSON.parse(all("CMD")[0] ?? "[]").slice(1))).toEqual([]);
    const [, healthPath = ""] = /PORT}(\/[a-z]+)`/.exec(all("HEALTHCHECK")[0] ?? "") ?? [];
    const sources = {
      platform: "apps/platform/src/plugins/health.ts",
      agent: "apps/agent/src/metrics.ts",
    };
    expect(read(sources[program])).toContain(`"${healthPath}"`);
    expect(all("USER")).toEqual(["node"]);
    const health = all("HEALTHCHECK").join();
    // Unhealthy after as long as the watchdog of systemd waits, and alive while a database or a platform is away: Podman kills for it.
    const [, watchdog = ""] = /^WatchdogSec=(\d+)$/m.exec(read(`deploy/systemd/longarm-${program}.service`)) ?? [];
    const [, every = "", times = ""] = /--interval=(\d+)s .*--retries=(\d+)/.exec(health) ?? [];
    expect(Number(every) * Number(times)).toBe(Number(watchdog));
    expect(health).not.toContain("readyz");
    // A media process that was killed begins again within seconds, also where the disk can only be read.
    const [, cache = ""] = /NODE_COMPILE_CACHE=(\S+)/.exec(all("ENV").join(" ")) ?? [];
    expect(all("VOLUME").some((volume) => cache.startsWith(`${volume}/`))).toBe(true);
    expect(strangers(program, environmentNames(instructions))).toEqual([]);
    expect(new Set(all("FROM").map((rest) => rest.split(" ")[0]))).toEqual(
      program === "platform"
        ? new Set(["docker.io/library/node:24-bookworm-slim", "sources"])
        : new Set(["docker.io/library/node:24-bookworm-slim"]),
    );
  });
});

type Service = {
  image: string;
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  restart?: string;
  depends_on?: Record<string, unknown>;
};

describe("compose.yaml", () => {
  const text = read("deploy/compose.yaml");
  const file = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: Record<string, null> };
  const services = Object.entries(file.services);
  const service = (name: string): Service => {
    const found = file.services[name];
    if (found === undefined) throw new Error(`compose.yaml has no ${name}`);
    return found;
  };
  const portOf = (name: string): string => String(service(name).environment?.["PORT"]);

  test("names files, volumes and services that are there", () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(":")[0] ?? ""));
    expect(lost(mounts.filter((from) => from.startsWith("./")).map((from) => join("deploy", from)))).toEqual([]);
    const named = mounts.filter((from) => !from.startsWith("."));
    expect(new Set(named)).toEqual(new Set(Object.keys(file.volumes)));
    expect(lost(services.flatMap(([, { build }]) => (build ? [build.dockerfile] : [])))).toEqual([]);
    const needed = services.flatMap(([, { depends_on = {} }]) => Object.keys(depends_on));
    expect(needed.filter((name) => file.services[name] === undefined)).toEqual([]);
    expect(services.filter(([, { restart }]) => restart !== "unless-stopped").map(([name]) => name)).toEqual([]);
    expect(
      services.filter(([, { image }]) => !/^(longarm-|docker\.io\/\S+:\S+$)/.test(image)).map(([name]) => name),
    ).toEqual([]);
  });

  test("gives settings that exist, and asks for nothing that its example does not name", () => {
    for (const name of ["platform-1", "platform-2"])
      expect(strangers("platform", Object.keys(service(name).environment ?? {}))).toEqual([]);
    expect(strangers("agent", Object.keys(service("agent").environment ?? {}))).toEqual([]);
    const needed = new Set(Array.from(text.matchAll(/\$\{([A-Z_]+)/g), ([, name]) => name));
    const listed = new Set(
      Array.from(read("deploy/compose.env.example").matchAll(/^([A-Z_]+)=/gm), ([, name]) => name),
    );
    expect(needed).toEqual(listed);
    const caddy = Array.from(read("deploy/caddy/Caddyfile").matchAll(/\{\$([A-Z_]+)/g), ([, name]) => name ?? "");
    expect(caddy.filter((name) => service("proxy").environment?.[name] === undefined)).toEqual([]);
  });

  test("leads everybody to the ports that the others listen on", () => {
    const nodes = ["platform-1", "platform-2"].map((name) => `127.0.0.1:${portOf(name)}`);
    expect(new Set(nodes).size).toBe(2);
    expect(service("proxy").environment?.["PLATFORM_NODES"]?.split(" ")).toEqual(nodes);
    type Scrapes = { scrape_configs: { static_configs: { targets: string[] }[] }[] };
    const scraped = (parse(read("deploy/prometheus/compose.yml")) as Scrapes).scrape_configs.flatMap((job) =>
      job.static_configs.flatMap(({ targets }) => targets),
    );
    expect(scraped).toEqual([...nodes, `127.0.0.1:${service("agent").environment?.["METRICS_PORT"]}`]);
    const environment = service("platform-1").environment ?? {};
    for (const [setting, name] of [
      ["DATABASE_URL", "postgres"],
      ["BUS_URL", "nats"],
    ] as const) {
      const [, place] = /@(127\.0\.0\.1:\d+)/.exec(environment[setting] ?? "") ?? [];
      expect(service(name).ports?.map((port) => port.split(":").slice(0, 2).join(":"))).toEqual([place]);
    }
    expect(read("deploy/caddy/Caddyfile")).toContain("health_uri /readyz");
  });
});

describe.each(readdirSync(join(root, "deploy/systemd")).filter((name) => name.endsWith(".service")))("%s", (name) => {
  const unit = read(`deploy/systemd/${name}`);
  const program = name.includes("agent") ? "agent" : "platform";

  test("starts what is there, as longarm, with settings that exist", () => {
    const start = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
    expect(start).toContain("node_modules/.bin/node ");
    expect(lost(Array.from(start.matchAll(/apps\/\S+\.ts/g), ([path]) => path))).toEqual([]);
    expect(unit).toMatch(/^User=longarm$/m);
    const own = Array.from(unit.matchAll(/^Environment=([A-Z_]+)=/gm), ([, key]) => key ?? "");
    expect(strangers(program, own)).toEqual([]);
    expect(unit).toContain(`EnvironmentFile=/etc/longarm/${program}.env`);
  });
});

// 16.5.3: a process that hangs is neither ended nor started again by `Restart=`.
test.each(["agent", "platform"])(
  "the unit of the %s has a watchdog, and lets systemd's own command speak for it",
  (program) => {
    const unit = read(`deploy/systemd/longarm-${program}.service`).split("\n");
    const settings = ["Type=notify", "NotifyAccess=all", "WatchdogSec=20", "WatchdogSignal=SIGKILL", "Restart=always"];
    expect(settings.filter((line) => !unit.includes(line))).toEqual([]);
  },
);

test("a container file is read with its long lines and without its remarks", () => {
  const read = readContainerFile(
    "# no\nFROM a AS b\nCOPY one two/ here/\nCOPY --from=b /x x\nENV A=1 B=2\nRUN x \\\n && y\n",
  );
  expect(read.at(-1)).toEqual({ word: "RUN", rest: "x && y" });
  expect(copiedPaths(read)).toEqual(["one", "two/"]);
  expect(environmentNames(read)).toEqual(["A", "B"]);
});
