import { describe, expect, test } from "vitest";
import { watchSaving } from "./ambient.ts";

const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe("a device that saves", () => {
  test("reports it by its data setting or by a low battery that is not charged", async () => {
    const battery = Object.assign(new EventTarget(), { charging: false, level: 0.8 });
    const told: boolean[] = [];
    const stop = watchSaving({ getBattery: () => Promise.resolve(battery) }, (saving) => told.push(saving));
    await settle();
    battery.level = 0.19;
    battery.dispatchEvent(new Event("levelchange"));
    battery.charging = true;
    battery.dispatchEvent(new Event("chargingchange"));
    stop();
    battery.charging = false;
    battery.dispatchEvent(new Event("chargingchange"));
    expect(told).toEqual([false, false, true, false]);
    watchSaving({ connection: { saveData: true } }, (saving) => told.push(saving));
    watchSaving({ getBattery: () => Promise.reject(new Error("forbidden")) }, (saving) => told.push(saving));
    await settle();
    expect(told.slice(4)).toEqual([true, false]);
  });
});
