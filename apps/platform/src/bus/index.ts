export type { Bus, BusAnswer } from "./bus.ts";
export { inProcessBus } from "./in-process.ts";
export { natsBus } from "./nats/nats-bus.ts";
export { type NatsServers, readNatsServers } from "./nats/servers.ts";
export type { Topic, Topics } from "./topics.ts";
