import css from "./settings-form.module.css";
import "./palettes.css";
import { useDirection } from "@base-ui/react/direction-provider";
import { Select } from "@base-ui/react/select";
import { LAYOUTS } from "@longarm/contract/settings";
import type { AppearanceChoice, LayoutConfigChoice } from "@longarm/contract/template/appearance";
import { REGIONS } from "@longarm/contract/template/appearance";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { Switch } from "@longarm/ui/switch.tsx";
import { useId } from "react";
import type {
  AppearanceChange,
  AppearanceStore,
  LayoutConfig,
  LayoutStyle,
} from "../../shared/appearance/appearance.ts";
import { LAYOUT_DEFAULTS, withChoice } from "../../shared/appearance/appearance.ts";
import type { PaletteId } from "./palettes.ts";
import { FOLLOWING, PALETTE_IDS, paletteOf } from "./palettes.ts";

/** Every setting of the theme. A change is drawn at once. */
export function SettingsForm({ appearance, onChange }: ThemeProps) {
  const { t } = useText();
  const drawn = useLive(appearance.current);
  const chosen = useLive(appearance.chosen);
  const main = paletteOf(drawn.theme.main);
  return (
    <div className={css["form"]}>
      <fieldset className={css["group"]}>
        <legend className="plate">{t("theme.layout")}</legend>
        <Styles value={drawn.layout.style} onChange={(style) => onChange({ layout: { style } })} />
        <LayoutOptions
          style={drawn.layout.style}
          config={withChoice(LAYOUT_DEFAULTS[drawn.layout.style], chosen.layout?.config)}
          onChange={(config) => onChange({ layout: { config } })}
        />
        <p className={css["note"]}>{t("theme.combinations")}</p>
      </fieldset>
      <fieldset className={css["group"]}>
        <legend className="plate">{t("theme.theme")}</legend>
        {REGIONS.map((region) => (
          <PaletteSelect
            key={region}
            label={t(`theme.${region}`)}
            value={drawn.theme[region]}
            {...(region !== "main" && { main })}
            onChange={(id) => onChange({ theme: { [region]: id } })}
          />
        ))}
      </fieldset>
      <div className={css["group"]}>
        <Switch
          label={t("theme.customScrollbars")}
          on={drawn.customScrollbars}
          onChange={(customScrollbars) => onChange({ customScrollbars })}
        />
        <Switch
          label={t("theme.animations")}
          on={drawn.animations}
          onChange={(animations) => onChange({ animations })}
        />
        <Direction value={drawn.direction} onChange={(direction) => onChange({ direction })} />
      </div>
    </div>
  );
}

/** The three layouts, by name and by a small drawing. */
function Styles({ value, onChange }: { value: LayoutStyle; onChange: (style: LayoutStyle) => void }) {
  const { t } = useText();
  const group = useId();
  return (
    <div className={css["styles"]} role="radiogroup" aria-label={t("theme.style")}>
      {LAYOUTS.map((style) => (
        <label key={style} className={css["style"]}>
          <input type="radio" name={group} checked={style === value} onChange={() => onChange(style)} />
          <span className={css["drawing"]} data-layout={style} aria-hidden="true" />
          {t(`theme.${style}`)}
        </label>
      ))}
    </div>
  );
}

type OptionsProps = {
  readonly style: LayoutStyle;
  readonly config: LayoutConfig;
  readonly onChange: (config: NonNullable<AppearanceChoice["layout"]>["config"]) => void;
};

/** The options of a layout: its own, then those of each bar. */
function LayoutOptions({ style, config, onChange }: OptionsProps) {
  const { t } = useText();
  const parts = Map.groupBy(LAYOUT_OPTIONS[style], ({ of }) => of);
  const drawn = (option: LayoutOption) => (
    <Option
      key={option.name}
      option={option}
      value={optionOf(config, option)}
      onChange={(value) => onChange(choiceOf(option, value))}
    />
  );
  return [...parts].map(([of, options]) =>
    of === undefined ? (
      options.map(drawn)
    ) : (
      <fieldset key={of} className={css["bar"]}>
        <legend>{t(`theme.${of}`)}</legend>
        {options.map(drawn)}
      </fieldset>
    ),
  );
}

type OptionProps = {
  readonly option: LayoutOption;
  readonly value: string | boolean | undefined;
  readonly onChange: (value: string | boolean) => void;
};

function Option({ option, value, onChange }: OptionProps) {
  const { t } = useText();
  const isMirrored = useDirection() === "rtl";
  const { name, values } = option;
  if (values === undefined) return <Switch label={t(`theme.${name}`)} on={value === true} onChange={onChange} />;
  return (
    <Choice
      label={t(`theme.${name}`)}
      options={values.map((one) => ({ value: one, label: t(`theme.${isMirrored ? mirrored(one) : one}`) }))}
      value={typeof value === "string" ? value : ""}
      onChange={onChange}
    />
  );
}

/** The layouts are mirrored from right to left: the side that they call left is the right one there, and is named as it is seen. */
function mirrored(value: OptionValue): OptionValue {
  if (value === "left") return "right";
  return value === "right" ? "left" : value;
}

function Direction(props: { value: "ltr" | "rtl" | undefined; onChange: (direction: "ltr" | "rtl") => void }) {
  const { t, language } = useText();
  const value = props.value ?? (language === "ar" ? "rtl" : "ltr");
  const options = (["rtl", "ltr"] as const).map((one) => ({ value: one, label: t(`theme.${one}`) }));
  return <Choice label={t("theme.direction")} options={options} value={value} onChange={props.onChange} />;
}

type ChoiceProps<T extends string> = {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
};

/** A choice of few, its name before it. */
function Choice<T extends string>(props: ChoiceProps<T>) {
  return (
    <div className={css["choice"]}>
      <span aria-hidden="true">{props.label}</span>
      <Segment {...props} />
    </div>
  );
}

type Bar = "navbar" | "toolbar" | "footer";
/** One option of a layout: a switch, or a choice of few. `of`: the bar that it belongs to; without it it is the layout's own. */
type LayoutOption =
  | { readonly of: Bar; readonly name: "display" | "folded"; readonly values?: undefined }
  | { readonly of: Bar; readonly name: "position" | "style"; readonly values: readonly OptionValue[] }
  | { readonly of?: undefined; readonly name: "mode" | "scroll"; readonly values: readonly OptionValue[] };
/** Every value has a text of its name. */
type OptionValue =
  | ("boxed" | "fullwidth" | "container" | "body" | "content")
  | ("left" | "right" | "above" | "below" | "fixed" | "static");

const display = (of: Bar) => ({ of, name: "display" }) as const;
const order = (of: "toolbar" | "footer") => ({ of, name: "position", values: ["above", "below"] }) as const;
const stay = (of: "toolbar" | "footer") => ({ of, name: "style", values: ["fixed", "static"] }) as const;
const width = (...values: ("boxed" | "fullwidth" | "container")[]) => ({ name: "mode", values }) as const;

/** The options that each layout has, as its part of the settings panel offers them. */
export const LAYOUT_OPTIONS: Readonly<Record<LayoutStyle, readonly LayoutOption[]>> = {
  layout1: [
    width("boxed", "fullwidth"),
    { name: "scroll", values: ["body", "content"] },
    display("navbar"),
    { of: "navbar", name: "folded" },
    { of: "navbar", name: "position", values: ["left", "right"] },
    ...[display("toolbar"), stay("toolbar"), order("toolbar")],
    ...[display("footer"), stay("footer"), order("footer")],
  ],
  layout2: [
    width("boxed", "fullwidth", "container"),
    display("navbar"),
    ...[display("toolbar"), order("toolbar")],
    ...[display("footer"), stay("footer")],
  ],
  layout3: [
    width("boxed", "fullwidth", "container"),
    display("navbar"),
    display("toolbar"),
    ...[display("footer"), stay("footer")],
  ],
};

/** What an option says now. */
export function optionOf(config: LayoutConfig, { of, name }: LayoutOption): string | boolean | undefined {
  const part: object = of === undefined ? config : config[of];
  return (part as Record<string, string | boolean | undefined>)[name];
}

/** The choice that an option makes. */
export function choiceOf({ of, name }: LayoutOption, value: string | boolean): LayoutConfigChoice {
  return of === undefined ? { [name]: value } : { [of]: { [name]: value } };
}

type PaletteSelectProps = {
  readonly label: string;
  readonly value: string;
  /** The main palette, for those of a bar that follow it; the main palette itself follows nothing. */
  readonly main?: PaletteId;
  readonly onChange: (id: string) => void;
};

/** A palette by its name, in its own colours. */
function PaletteSelect({ label, value, main, onChange }: PaletteSelectProps) {
  const { t } = useText();
  const ids = main === undefined ? PALETTE_IDS : ([...FOLLOWING, ...PALETTE_IDS] as const);
  const chosen = ids.find((id) => id === value) ?? "night";
  return (
    <Select.Root value={chosen} onValueChange={(id) => id !== null && onChange(id)} modal={false}>
      <div className={css["row"]}>
        <Select.Label className={css["label"]}>{label}</Select.Label>
        <Select.Trigger className={css["well"]}>
          <Select.Value>{() => <Sample id={paletteOf(chosen, main)} name={t(`theme.${chosen}`)} />}</Select.Value>
          <Select.Icon>
            <Icon name="down" />
          </Select.Icon>
        </Select.Trigger>
      </div>
      <Select.Portal>
        <Select.Positioner className={css["positioner"]} alignItemWithTrigger={false} sideOffset={4}>
          <Select.Popup className={css["popup"]}>
            {ids.map((id) => (
              <Select.Item key={id} value={id} className={css["item"]}>
                <Sample id={paletteOf(id, main)} name={t(`theme.${id}`)} />
                <Select.ItemIndicator className={css["check"]}>
                  <Icon name="check" />
                </Select.ItemIndicator>
              </Select.Item>
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

/** The name of a palette on its own surface, beside strips of its colours. */
function Sample({ id, name }: { id: PaletteId; name: string }) {
  return (
    <span className={css["sample"]} data-palette={id}>
      <span>{name}</span>
      <span className={css["strips"]} aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </span>
    </span>
  );
}

/** Every palette as a small drawing of a page in it. A press applies it to all regions. */
export function SchemeCards({ appearance, onChange }: ThemeProps) {
  const { t } = useText();
  const theme = useLive(appearance.current, (drawn) => drawn.theme);
  const isAll = (id: string) => REGIONS.every((region) => paletteOf(theme[region], paletteOf(theme.main)) === id);
  return (
    <>
      <p className={css["schemesNote"]}>{t("theme.schemesNote")}</p>
      <ul className={css["cards"]}>
        {PALETTE_IDS.map((id) => (
          <li key={id}>
            <button
              type="button"
              className={css["card"]}
              aria-pressed={isAll(id)}
              onClick={() => onChange({ theme: { main: id, navbar: id, toolbar: id, footer: id } })}
            >
              <span className={css["picture"]} data-palette={id} aria-hidden="true">
                <span className={css["cardBar"]} />
                <span className={css["cabinet"]}>
                  <span className={css["lines"]} />
                  <span className={css["brass"]} />
                </span>
                <span className={css["lamps"]}>
                  <i data-lamp="available" />
                  <i data-lamp="playing" />
                  <i data-lamp="waiting" />
                </span>
              </span>
              <span className={css["name"]}>{t(`theme.${id}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What every part of the theme works on. */
export type ThemeProps = {
  readonly appearance: AppearanceStore;
  /** Draws a choice at once, and keeps it with the account of a player. */
  readonly onChange: (choice: AppearanceChange) => void;
};
