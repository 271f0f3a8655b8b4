import { createContext } from 'react';

/** Whether a control is in the row that Tab leads to. Controls of other rows are reached by the arrow keys first. */
export const CurrentRow = createContext(true);
