import AsyncLocation
import FoundationEssentials

/// The evidence that `doctor` has collected.
struct Evidence: Sendable {
  /// The results of queries to gpsd before watching starts.
  struct Survey: Sendable {
    /// The API version of the libgps that the tool was built with; nil without libgps.
    var libgpsAPI: Int?
    /// The address of gpsd, such as "localhost:2947".
    var endpoint = ""
    /// The release of gpsd and its protocol version.
    var release: String?
    var protocolVersion: (major: Int, minor: Int)?
    /// The receivers, or the error that prevents listing them.
    var receivers: Result<[Receiver], LocationError> = .success([])
  }

  var backend = Arguments.Backend.gpsd
  /// The name of the source.
  var source = ""
  var survey = Survey()
  var usesSharedMemory = false
  /// The receiver selected with `--device`.
  var device: String?
  var authorization: Authorization?
  /// The last state of the connection.
  var connection: ConnectionState?
  /// The latest location and satellite view; `locatedAt` is the host's time when the location
  /// arrived.
  var location: Location?
  var locatedAt: Date?
  var view: SatelliteView?
  /// The error that ended watching early.
  var failure: LocationError?
  /// The duration of watching.
  var watchDuration: Duration = .zero

  /// Whether there is a source to watch.
  var isReachable: Bool {
    backend != .gpsd || usesSharedMemory || (try? survey.receivers.get()) != nil
  }

  /// The receivers as last reported by gpsd, which opens some only when they are watched.
  var receivers: [Receiver] {
    if let seen = connection?.receivers, !seen.isEmpty { return seen }
    return (try? survey.receivers.get()) ?? []
  }
}
