import type { Tool } from "./tool.ts";

/** NATS, the bus of the whole-system tests with several platform processes. */
export const natsServer: Tool = {
  title: "NATS server",
  setting: "LONGARM_NATS_SERVER",
  programs: ["nats-server"],
  debianPackages: ["nats-server"],
  unpackedProgram: "usr/sbin/nats-server",
  isService: true,
  args: [],
  trial: { args: ["--version"], shows: "nats-server: v" },
};
