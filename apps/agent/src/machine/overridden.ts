import type { Egm } from "../ports/egm.ts";

/** The machine as its driver gives it, but for these methods. */
export function overridden(egm: Egm, own: Partial<Egm>): Egm {
  return new Proxy(egm, {
    get: (machine, name) => {
      if (Object.hasOwn(own, name)) return own[name as keyof typeof own];
      const value: unknown = Reflect.get(machine, name, machine);
      // A method of a driver's class needs the driver itself, not the proxy.
      return typeof value === "function" ? value.bind(machine) : value;
    },
  });
}
