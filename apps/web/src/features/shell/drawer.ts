import { createContext } from "react";

/** Opens the menu's drawer; undefined where the menu stands beside the page. */
export const DrawerContext = createContext<(() => void) | undefined>(undefined);
