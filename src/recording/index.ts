// Recordings of worlds as MCAP files: for Foxglove, and to be read again. Checkpoints as files.

export { formatCheckpoint, parseCheckpoint } from './checkpoint-file.js';
export { Recorder, type RecorderOptions, type RecordingSink } from './recorder.js';
export { type RecordedMoment, readRecording, type WorldRecording } from './recording.js';
