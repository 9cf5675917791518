import AsyncLocation
import OfflineGeocoder

/// Prints the place at a point; without a point, a line. The difference is what an answer costs a
/// program.
@main
enum Program {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
    guard numbers.count == 2 else { return print("nothing") }
    let point = try Coordinate(latitude: numbers[0], longitude: numbers[1])
    print(try await OfflineGeocoder().reverseGeocode(point)[0].name ?? "")
  }
}
