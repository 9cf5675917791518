import AsyncLocation
import Foundation
import Glibc
import OfflineGeocoder

/// Geocodes each line of a file, one after the other, and prints the time that it takes.
@main
enum Loop {
  private enum Mode: String, CaseIterable {
    /// Lines are points, latitude and longitude. The nearest place is an answer at any distance.
    case points
    /// The same with the default distance limit.
    case limited
    /// Lines are names.
    case names
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let mode = Mode(rawValue: arguments[1]) else {
      let modes = Mode.allCases.map(\.rawValue).joined(separator: " | ")
      FileHandle.standardError.write(Data("usage: geocoding-loop \(modes) FILE\n".utf8))
      exit(2)
    }
    let lines = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n")
    let geocoder = mode == .limited ? OfflineGeocoder() : unlimited
    switch mode {
    case .points, .limited:
      let points = try lines.map(point)
      // The first pass reads the pages of the file.
      _ = await time(points) { try await geocoder.reverseGeocode($0) }
      report(await time(points) { try await geocoder.reverseGeocode($0) })
    case .names:
      let names = lines.map(String.init)
      _ = await time(names) { try await geocoder.geocode($0) }
      report(await time(names) { try await geocoder.geocode($0) })
    }
  }

  private struct Figures {
    var requests = 0
    var answers = 0
    var elapsed = 0.0
    var used = 0.0
  }

  private static func time<Request>(
    _ requests: [Request], _ geocode: @Sendable (Request) async throws -> [Placemark]
  ) async -> Figures {
    var figures = Figures(requests: requests.count)
    let (begun, cpu) = (ContinuousClock.now, clock())
    for request in requests where (try? await geocode(request))?.isEmpty == false {
      figures.answers += 1
    }
    figures.elapsed = begun.duration(to: .now) / .seconds(1)
    figures.used = Double(clock() - cpu) / Double(CLOCKS_PER_SEC)
    return figures
  }

  private static func report(_ figures: Figures) {
    print(
      """
      requests=\(figures.requests) answers=\(figures.answers) wall=\(figures.elapsed) \
      cpu=\(figures.used)
      """)
  }

  private static var unlimited: OfflineGeocoder {
    var geocoder = OfflineGeocoder()
    geocoder.maximumDistance = .infinity
    return geocoder
  }

  private static func point(_ line: Substring) throws -> Coordinate {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 2 else { exit(2) }
    return try Coordinate(latitude: numbers[0], longitude: numbers[1])
  }
}
