/** Token of the options as the application gave them; A2A_OPTIONS is that of the resolved ones. */
export const MODULE_OPTIONS_TOKEN = Symbol('A2A_MODULE_OPTIONS');
