// Recordings of worlds as MCAP files: for Foxglove, and to be read again.

export { Recorder, type RecorderOptions, type RecordingSink } from './recorder.js';
export { type RecordedMoment, readRecording, type WorldRecording } from './recording.js';
