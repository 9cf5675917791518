import AsyncLocation
import FoundationEssentials
import LocationRecording
import NMEABackend

/// The parsed arguments of the tool.
struct Arguments: Hashable, Sendable {
  enum Backend: String, Hashable, Sendable, CaseIterable {
    case gpsd, geoclue, nmea, replay, mqtt

    /// Those that can be combined.
    static let combinable: [Self] = [.gpsd, .geoclue, .nmea]
  }
  enum Transport: String, Hashable, Sendable, CaseIterable {
    case socket
    case sharedMemory = "shared-memory"
  }
  enum Format: String, Hashable, Sendable, CaseIterable { case text, json }
  enum Color: String, Hashable, Sendable, CaseIterable { case auto, always, never }

  var command: Command
  /// The sources, the most preferred first.
  var backends = [Backend.gpsd]
  var host = "localhost"
  /// The port of gpsd.
  var port = 2947
  /// The source of NMEA 0183.
  var nmea: NMEASource?
  var device: String?
  var transport = Transport.socket
  /// The path of the recording to replay; nil for the built-in drive.
  var file: String?
  /// The speed of a replay relative to the recording.
  var rate = 1.0
  var broker = BrokerArguments()
  var count: Int?
  var timeout: Duration?
  /// In metres.
  var accuracy: Double?
  /// In metres.
  var distance: Double?
  var interval: Duration?
  /// The path of the policy file.
  var policy: String?
  /// The client whose rule in the policy file applies.
  var client: String?
  /// The path of the reduced-accuracy key.
  var key: String?
  /// The path of the GeoJSON file of conditions.
  var conditions: String?
  /// The path of the file that stores the state of conditions; nil to store it in memory.
  var state: String?
  /// The point or the name that `place` looks up.
  var place: PlaceQuery?
  /// Whether `fences` prints the first state of each area.
  var all = false
  /// Whether `watch`, `stats` and `history` print places.
  var places = false
  /// The maximum number of places to print; nil for the command's default.
  var limit: Int?
  /// The languages of the names of places.
  var locale: GeocodingLocale?
  /// The address of a Nominatim server; nil for the built-in places.
  var nominatim: String?
  /// The path of the recording to read; `-` for standard input.
  var recording: String?
  /// The recordings that `plot` draws after the first.
  var furtherRecordings: [String] = []
  /// The path of the recording or the picture to write; `-` for the standard output of `convert`.
  var destination: String?
  /// Whether an existing file is replaced.
  var replaces = false
  /// The format to write; nil for that of the file name.
  var recordingFormat: RecordingWriter.Format?
  /// The tolerance of a track's simplification, in metres.
  var simplification: Double?
  /// Whether the part of a recording before damage is used.
  var keepsReadablePart = false
  /// The longest time between two locations of a segment.
  var maximumGap: Duration?
  /// The path of the GeoJSON file that is drawn below a track.
  var basemap: String?
  /// The title of a picture.
  var title: String?
  /// The quantity that the color of a track shows.
  var coloring = TrackPicture.Coloring.speed
  /// The time zone of a picture; nil for that of the first location.
  var timeZone: String?
  /// The horizontal axis of a picture's profiles; nil to choose by the track.
  var profileAxis: TrackPicture.ProfileAxis?
  /// The report classes by gpsd's names; nil for all.
  var classes: Set<String>?
  /// The device of `history`.
  var historyDevice: String?
  /// The start of the time range of `history`.
  var from: Date?
  /// The end of the time range of `history`, which is not included.
  var until: Date?
  /// The time at which `history` locates a device.
  var at: Date?
  /// Whether `stats` and `history` print trips.
  var trips = false
  /// How long `record` and `publish` run.
  var duration: Duration?
  /// The rotation limit of `record`, as given in the arguments.
  var rotate: String?
  /// Whether an existing file is continued.
  var appends = false
  var format = Format.text
  var color = Color.auto
  /// The shell of `completions`.
  var shell: Shell?
  /// The name of the command that `manual` describes; nil for the tool.
  var topic: String?
}

extension Arguments {
  /// Whether several sources are combined.
  var isCombined: Bool { backends.count > 1 }

  /// The receiver that subscribers select. The receivers of combined sources have other names; there
  /// gpsd's own configuration selects one.
  var subscribedDevice: String? { isCombined ? nil : device }

  func uses(_ backend: Backend) -> Bool { backends.contains(backend) }

  /// The arguments for one of several sources.
  func limited(to backend: Backend) -> Self {
    var own = self
    own.backends = [backend]
    if backend != .gpsd { own.device = nil }
    return own
  }
}

/// A parsed command line.
enum Invocation: Hashable, Sendable {
  case run(Arguments)
  case help(Command?)
  case version
}

/// An error in a command line; the message states what to change.
struct UsageError: Error, Hashable, Sendable {
  let message: String
  /// The command whose help is relevant.
  let command: Command?

  init(_ message: String, command: Command? = nil) {
    (self.message, self.command) = (message, command)
  }
}
