/*
 * Fastify and nothing else: it answers one call with the JSON that the IPC channel gives it, and reports its port. What the platform does between
 * call and answer is held against it.
 */
import fastify from "fastify";

process.once("message", (answer: object) => {
  const app = fastify();
  app.get("/v1/player/balance", (_request, reply) => reply.send(answer));
  void app.listen({ host: "127.0.0.1", port: 0 }).then((href) => process.send?.({ port: Number(new URL(href).port) }));
});
process.on("disconnect", () => process.exit(0));
