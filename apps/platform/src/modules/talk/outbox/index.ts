export { deliveryCounts, dropDelivery, listDeliveries, newestFact, outboxMarks, recentFacts, resend } from "./list.ts";
export { addDevice, devicesOf, isPushAddress, listDevices, pushKey, pushSender, removeDevice } from "./push.ts";
export { configureWebhook, webhookSender } from "./webhook.ts";
export { createOutbox, type Outbox } from "./worker.ts";
export { dropWaiting, sendTo, writeFact } from "./write-fact.ts";
