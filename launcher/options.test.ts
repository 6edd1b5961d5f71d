import { describe, expect, test } from "vitest";
import { OptionProblem, readOptions } from "./options.ts";

describe("the command line", () => {
  test("without options listens on this computer alone", () => {
    expect(readOptions([])).toMatchObject({
      host: "127.0.0.1",
      portNumber: 8080,
      staffPort: 8081,
      machines: 12,
      cabinets: 0,
      demo: false,
      sampleDays: true,
      build: true,
    });
    expect(readOptions(["--no-sample-days"])).toMatchObject({ sampleDays: false });
  });

  test("puts the console on the port above, or on a free one", () => {
    expect(readOptions(["--port", "9000"])).toMatchObject({ portNumber: 9000, staffPort: 9001 });
    expect(readOptions(["--port", "0"])).toMatchObject({ staffPort: 0 });
    expect(readOptions(["--port", "65535"])).toMatchObject({ staffPort: 0 });
    expect(readOptions(["--staff-port", "7000"])).toMatchObject({ portNumber: 8080, staffPort: 7000 });
  });

  test("refuses demo players on another address without --demo", () => {
    expect(() => readOptions(["--host", "0.0.0.0"])).toThrow(/add --demo/);
    expect(readOptions(["--host", "0.0.0.0", "--demo"])).toMatchObject({ host: "0.0.0.0", demo: true });
  });

  test("refuses more cabinets than the floor has machines", () => {
    expect(readOptions(["--machines", "3", "--cabinets", "3"])).toMatchObject({ machines: 3, cabinets: 3 });
    expect(() => readOptions(["--machines", "3", "--cabinets", "4"])).toThrow("use 3 at most");
    expect(() => readOptions(["--cabinets", "13"])).toThrow("use 12 at most");
  });

  test.each([
    [["--port", "http"]],
    [["--port", "70000"]],
    [["--port", "-1"]],
    [["--staff-port", "70000"]],
    [["--machines", "0"]],
    [["--machines", "1e9"]],
    [["--cabinets", "-1"]],
    [["--nonsense"]],
    [["stray"]],
  ])("says what is wrong with %j", (args) => {
    expect(() => readOptions(args)).toThrow(OptionProblem);
  });

  test("asks for help", () => {
    expect(readOptions(["-h"])).toBe("help");
  });
});
