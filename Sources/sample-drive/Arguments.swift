import AsyncLocation
import SampleDrive

/// The parsed command line.
enum Arguments: Equatable {
  case help
  /// Print the drive.
  case nmea(seed: UInt64)
  /// Serve the drive.
  case serve(Service)

  /// The options of `serve`.
  struct Service: Equatable {
    var host = "127.0.0.1"
    var port: UInt16 = 0
    var rate = 1.0
    var loops = false
    var seed = Drive.standardSeed
  }

  static let usage = """
    usage: sample-drive nmea [--seed N]
           sample-drive serve [--host ADDRESS] [--port N] [--rate X] [--once | --loop] [--seed N]

    nmea    prints a simulated drive as NMEA 0183.
    serve   sends it to TCP clients in real time, starting with the first client.

      --host ADDRESS  numeric IPv4 address to listen on (127.0.0.1)
      --port N        port to listen on, 0 for a free one (0)
      --rate X        the speed as a multiple of real time (1.0)
      --once          end after the drive (the default)
      --loop          repeat the drive
      --seed N        the seed of the noise (2026)

    serve prints "listening on ADDRESS:PORT" first. It ends with its parent process.

    """

  /// Parses arguments without the program's name.
  ///
  /// - Throws: ``LocationError`` that names the invalid argument.
  init(_ arguments: [String]) throws(LocationError) {
    guard !arguments.contains("--help"), !arguments.contains("-h") else {
      self = .help
      return
    }
    guard let command = arguments.first else {
      throw LocationError(.invalidValue, "expected nmea or serve")
    }
    guard command == "nmea" || command == "serve" else {
      throw LocationError(.invalidValue, "unknown command '\(command)'")
    }
    var service = Service()
    var rest = arguments.dropFirst()
    while let option = rest.popFirst() {
      switch option {
      case "--seed":
        service.seed = try Self.value(of: option, &rest, "a whole number") { UInt64($0) }
      case "--host" where command == "serve":
        service.host = try Self.value(of: option, &rest, "an address") { $0 }
      case "--port" where command == "serve":
        service.port = try Self.value(of: option, &rest, "0 to 65535") { UInt16($0) }
      case "--rate" where command == "serve":
        service.rate = try Self.value(of: option, &rest, "a number from 0.001 to 10000") { text in
          Double(text).flatMap { (0.001...10_000).contains($0) ? $0 : nil }
        }
      case "--once" where command == "serve": service.loops = false
      case "--loop" where command == "serve": service.loops = true
      default: throw LocationError(.invalidValue, "\(command) takes no '\(option)'")
      }
    }
    self = command == "nmea" ? .nmea(seed: service.seed) : .serve(service)
  }

  private static func value<Value>(
    of option: String, _ rest: inout ArraySlice<String>, _ expected: String,
    _ read: (String) -> Value?
  ) throws(LocationError) -> Value {
    guard let text = rest.popFirst(), let value = read(text) else {
      throw LocationError(.invalidValue, "\(option) takes \(expected)")
    }
    return value
  }
}
