import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Paths through the grid; each fix is the first of a time step.
@Suite(.inTurn) struct ReducedDriveTests {
  private let grid = ReducedGrid(key: Globe.key(3))

  /// Returns the outputs along a path, without repetitions.
  private func outputs(_ path: [SurfaceNormal]) throws -> [Coordinate] {
    var reducer = LocationReducer(key: Globe.key(3))
    var outputs: [Coordinate] = []
    for (index, place) in path.enumerated() {
      let fix = try Location(
        coordinate: Globe.coordinate(place), timestamp: Sample.date(Double(index) * 300),
        horizontalAccuracy: 5)
      let reduced = reducer.reduce(fix)
      #expect(reduced.distance(to: fix) <= ReducedGrid.reach)
      #expect(reduced.horizontalAccuracy == LocationReducer.horizontalAccuracy)
      if outputs.last != reduced.coordinate { outputs.append(reduced.coordinate) }
    }
    return outputs
  }

  @Test(.longWork) func aDriveAlongABorderChangesTheCellOnceAtMost() throws {
    var random = SplitMix64(seed: 40)
    for _ in 0..<4 {
      let home = Globe.anywhere(using: &random)
      let cell = grid.cell(of: home).centre
      // Straight from the centre to the side and across the border.
      let side = Globe.cross(grid.axes.pole, cell)
      let across = Globe.unit(side)
      let edge = Globe.moved(
        cell, Globe.border(from: cell, along: across, in: grid).outside, along: across)
      let along = Globe.unit(Globe.cross(across, edge))
      let path = (0..<10_000).map { index in
        let place = Globe.moved(edge, Double(index % 2_000) - 1_000, along: along)
        return Globe.unit(
          Globe.moved(place, .random(in: -10...10, using: &random), along: across))
      }
      #expect(Set(path.map { grid.cell(of: $0) }).count > 1, "the way crosses the border")
      #expect(try outputs(path).count <= 2)
    }
  }

  @Test(.longWork) func aDriveOverTheAntimeridianHasTheUsualNumberOfCells() throws {
    for latitude in [0, 51.5, -16.8, 80] {
      func drive(_ start: Double) throws -> Int {
        let path = (0...2_000).map { index in
          Globe.normal(latitude: latitude, longitude: start + Double(index) / 1_000)
        }
        return try outputs(path).count
      }
      let length = 2 * 111.2 * cos(latitude * .pi / 180)
      for start in [179.0, -181, 10, 178.5] {
        let count = Double(try drive(start))
        // A cell is about 5 km wide, but the path stays in it for less than that near a corner.
        #expect(count >= length / 9, "\(latitude) \(start) \(count)")
        #expect(count <= length / 3 + 3, "\(latitude) \(start) \(count)")
      }
    }
  }

  /// A place has one cell for any representation of its longitude.
  @Test func polesAndTheAntimeridianHaveOneCell() throws {
    for latitude in [90.0, -90] {
      let cells = try Set(
        stride(from: -180.0, through: 180, by: 7.5).map {
          grid.cell(of: SurfaceNormal(try Coordinate(latitude: latitude, longitude: $0))).coordinate
        })
      #expect(cells.count == 1)
    }
    for latitude in stride(from: -89.0, through: 89, by: 0.5) {
      let west = SurfaceNormal(try Coordinate(latitude: latitude, longitude: -180))
      let east = SurfaceNormal(try Coordinate(latitude: latitude, longitude: 180))
      #expect(grid.cell(of: west).coordinate == grid.cell(of: east).coordinate)
    }
  }

  @Test(.longWork, arguments: [1.0, -1])
  func circlingAPoleHasFewCells(_ hemisphere: Double) throws {
    for radius in [0.5, 1_000, 2_000, 10_000] {
      let latitude = hemisphere * (90 - radius / 111_000)
      let path = (0..<2_000).map { Globe.normal(latitude: latitude, longitude: Double($0) * 1.3) }
      let outputs = try outputs(path)
      let turns = 2_000 * 1.3 / 360
      #expect(Double(outputs.count) <= 1 + turns * 2 * .pi * radius / 2_500, "\(radius)")
      if radius < 1 { #expect(outputs.count == 1) }
    }
  }
}
