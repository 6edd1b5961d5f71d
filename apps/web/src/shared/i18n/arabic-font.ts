import "@fontsource-variable/readex-pro/index.css";
