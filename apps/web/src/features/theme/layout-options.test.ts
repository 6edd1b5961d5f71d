import { LayoutConfigChoice } from "@longarm/contract/template/appearance";
import { expect, test } from "vitest";
import { LAYOUT_DEFAULTS } from "../../shared/appearance/appearance.ts";
import { choiceOf, LAYOUT_OPTIONS, optionOf } from "./settings-form.tsx";

test.each(["layout1", "layout2", "layout3"] as const)(
  "every option of %s has a default and chooses what can be kept",
  (style) => {
    for (const option of LAYOUT_OPTIONS[style]) {
      const now = optionOf(LAYOUT_DEFAULTS[style], option);
      const values: readonly (string | boolean)[] = option.values ?? [true, false];
      expect(values, `${option.of} ${option.name}`).toContain(now);
      for (const value of values) {
        const choice = choiceOf(option, value);
        expect(LayoutConfigChoice.parse(choice)).toEqual(choice);
      }
    }
  },
);
